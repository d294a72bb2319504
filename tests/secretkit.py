"""Secrets as they stand in real files, and what only looks like one.

Every secret is made of random characters when the module is loaded: no file holds one, nor a
string shaped like one, so that no hosting site refuses the repository.
"""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

BASE62 = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
_RANDOM = random.Random(20261120)


def some(count: int, letters: str = BASE62) -> str:
    """Random characters, the first a letter where letters are asked for, with digits among them."""
    while True:
        found = "".join(_RANDOM.choice(letters) for _ in range(count))
        mixed = letters.isdigit() or (
            any(each.isdigit() for each in found) and any(each.isalpha() for each in found)
        )
        if count < 8 or mixed:
            return found


def hexa(count: int) -> str:
    return some(count, "0123456789abcdef")


def digits(count: int) -> str:
    return some(count, "123456789")


def uuid() -> str:
    return "-".join(hexa(size) for size in (8, 4, 4, 4, 12))


def password() -> str:
    """As people choose them: a word, some digits, a sign."""
    word = "".join(_RANDOM.choice("bdfgklmnprtvz") + _RANDOM.choice("aeiou") for _ in range(4))
    return f"{word.title()}{_RANDOM.randint(10, 99)}{_RANDOM.choice('!#%&?')}{some(2)}"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with one secret in it."""

    name: str
    text: str
    secret: str
    """What must not remain of the text once it is redacted."""


def _at(name: str, text: str, secret: str) -> Planted:
    """`text` with the secret in the place of `§`."""
    return Planted(name, text.replace("§", secret), secret)


def _pem(name: str = "RSA ") -> str:
    return (
        f"-----BEGIN {name}PRIVATE KEY-----\n"
        + "\n".join(some(64) for _ in range(8))
        + f"\n-----END {name}PRIVATE KEY-----"
    )


def _hidden(token: str, sign: str) -> str:
    """The token with a sign in its middle, and after its first characters."""
    return token[:6] + sign + token[6:20] + sign + token[20:]


def _wide(text: str) -> str:
    """ASCII as full-width forms."""
    return "".join(chr(ord(each) + 0xFEE0) for each in text)


def _github() -> str:
    return "ghp_" + some(36)


_TELEGRAM = digits(9) + ":AA" + some(33)
_DOCKER = encoded("deploy:" + password())
_KUBE_KEY = encoded(_pem())
_ESCAPED = _pem("").replace("\n", "\\n")
_BASIC = encoded("svc:" + password())

SHELL = (
    _at("curl user", "$ curl -u admin:§ https://api.acme.io/v1/jobs", password()),
    _at("curl user long", "curl --user deploy:§ -X POST https://ci.acme.io/run", some(14)),
    _at(
        "curl user quoted", "curl -sSf -u 'bot:§' \\\n  https://nexus.acme.io/x.tgz -O", password()
    ),
    _at("curl flags run together", "curl -sSfu bot:§ https://nexus.acme.io/x.tgz", password()),
    _at("curl header", 'curl -H "X-Api-Key: §" https://api.acme.io', some(32)),
    _at("curl basic", "curl -H 'Authorization: Basic §' https://api.acme.io", _BASIC),
    _at("curl bearer", "curl -H 'Authorization: Bearer §' https://api.acme.io", some(40)),
    _at("mysql", "mysql -h db1 -u root -p§ shop < dump.sql", password()),
    _at("mysql quoted", "mysqldump -uroot -p'§' shop > dump.sql", password()),
    _at("mysql long", "mysql --user=app --password=§ shop", password()),
    _at("psql", "PGPASSWORD=§ psql -h db1 -U app shop", password()),
    _at("psql url", "psql 'postgresql://app:§@db1.acme.io:5432/shop'", password()),
    _at("sshpass", "sshpass -p '§' ssh ops@10.0.0.4", password()),
    _at("redis", "redis-cli -h cache1 -a § ping", some(20)),
    _at("docker login", "docker login -u ci -p § registry.acme.io", password()),
    _at("wget", "wget --user=bob --password='§' https://files.acme.io/a.zip", password()),
    _at("export", "export ADMIN_TOKEN=§", some(16)),
    _at("openssl", "openssl pkcs12 -in a.p12 -passin pass:§ -nodes", password()),
    _at("git clone", "git clone https://oauth2:§@git.acme.io/team/app.git", some(26)),
    _at("mongo", "mongosh --username root --password § db1", password()),
    _at("smb", "smbclient -U 'ACME\\bob%§' //files/share", password()),
    _at("ldap", "ldapsearch -x -D cn=admin,dc=acme -w § -b dc=acme", password()),
    _at("aws configure", "aws configure set aws_secret_access_key §", some(40)),
    _at("helm", "helm install db bitnami/pg --set auth.password=§", password()),
    _at("sudo", "echo '§' | sudo -S systemctl restart nginx", password()),
    _at("gpg", "gpg --batch --passphrase § -d a.gpg", password()),
    _at("htpasswd", "htpasswd -b -c .htpasswd bob §", password()),
    _at("powershell", '$p = ConvertTo-SecureString "§" -AsPlainText -Force', password()),
)

FILES = (
    _at("docker config", '{"auths": {"registry.acme.io": {"auth": "§"}}}', _DOCKER),
    _at("netrc", "machine api.acme.io login bob password §", password()),
    _at("netrc in lines", "machine api.acme.io\n  login bob\n  password §\n", password()),
    _at("pgpass", "db1.acme.io:5432:shop:app:§", password()),
    _at("git-credentials", "https://bob:§@git.acme.io", some(20)),
    _at("npmrc token", "//registry.acme.io/:_authToken=§", some(36)),
    _at("npmrc auth", "_auth = §", encoded("ci:" + password())),
    _at("npmrc password", "//npm.acme.io/:_password=§", encoded(password() + password())),
    _at("pypirc", "[pypi]\nusername = bob\npassword = §", password()),
    _at("kubeconfig key", "users:\n- name: a\n  user:\n    client-key-data: §", _KUBE_KEY),
    _at("kubeconfig token", "users:\n- name: a\n  user:\n    token: §", some(48)),
    _at("kubernetes secret", "kind: Secret\ndata:\n  password: §", encoded(password())),
    _at("kubernetes env", "        - name: DB_PASSWORD\n          value: §", password()),
    _at("compose", "    environment:\n      - POSTGRES_PASSWORD=§", password()),
    _at("compose map", "    environment:\n      MYSQL_ROOT_PASSWORD: '§'", password()),
    _at("yaml quoted", 'smtp:\n  user: bob\n  password: "§"', password()),
    _at("yaml plain", "database:\n  password: §\n  pool: 5", password()),
    _at("heroku", "HEROKU_API_KEY=§", uuid()),
    _at("heroku yaml", "heroku_api_key: '§'", uuid()),
    _at("client secret uuid", "keycloak.credentials.secret=§", uuid()),
    _at("env url", "DATABASE_URL=postgres://app:§@db:5432/shop", password()),
    _at("env smtp", "SMTP_PASS=§", password()),
    _at("env secret", "SECRET_KEY=§", some(50)),
    _at("env key", "DATADOG_APP_KEY=§", hexa(40)),
    _at("env quoted", 'STRIPE_SECRET="§"', some(32)),
    _at("maven", "<server><id>nexus</id><password>§</password></server>", password()),
    _at("app settings", '<add key="ApiKey" value="§" />', some(32)),
    _at("connection string", "Server=db1;Database=shop;User Id=sa;Password=§;", password()),
    _at("spring", "spring.datasource.password=§", password()),
    _at("wordpress", "define( 'DB_PASSWORD', '§' );", password()),
    _at("wireguard", "[Interface]\nPrivateKey = §", some(43) + "="),
    _at("wpa", 'network={\n  ssid="Acme"\n  psk="§"\n}', password()),
    _at("redis conf", "requirepass §", some(24)),
    _at("composer", '{"http-basic": {"repo.acme.io": {"username": "a", "password": "§"}}}',
        password()),
    _at("service account", '{"type": "service_account", "private_key": "§\\n"}', _ESCAPED),
    _at("json api key", '{"apiKey": "§", "region": "eu"}', some(20)),
    _at("json in json", '{"body": "{\\"client_secret\\": \\"§\\"}"}', some(32)),
    _at("ini", "[client]\nuser = root\npassword = §", password()),
    _at("terraform", 'variable "db_password" {\n  default = "§"\n}', password()),
    _at("putty", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n"
        "Private-Lines: 1\n§\n", some(64)),
    _at("docker config in lines", '{\n\t"auths": {\n\t\t"a.io": {\n\t\t\t"auth": "§"\n\t\t}',
        base64.b64encode(_RANDOM.randbytes(33)).decode()),
    _at("docker identity", '{"auths": {"https://index.docker.io/v1/": {"auth": "§=="}}}', some(38)),
    _at("age key", "# public key: age1qx\n§\n", "AGE-SECRET-KEY-1" + some(58, UPPER)),
    _at("key of a gateway", 'export ACME_AUTH_TOKEN="§"', f"sk-fp-{uuid()}"),
    _at("key with a comment", "password = §  # for the sample shop", password()),
    _at("age key of two kinds", "identity: §", "AGE-SECRET-KEY-PQ-1" + some(58, UPPER)),
    _at("kubeconfig key cut", "    client-key-data: §", some(120)),
    _at("kubeconfig web token", "users:\n- user:\n    token: §",
        f"eyJhbGciOiJSUzI1NiJ9.{some(60)}.{some(86)}"),
)  # fmt: skip

URLS = (
    _at("telegram", "https://api.telegram.org/bot§/sendMessage", _TELEGRAM),
    _at("telegram in prose", "The bot answers at api.telegram.org/bot§.", _TELEGRAM),
    _at("discord", f"https://discord.com/api/webhooks/{digits(18)}/§", some(68)),
    _at("slack", f"https://hooks.slack.com/services/T{some(8, UPPER)}/B{some(8, UPPER)}/§",
        some(24)),
    _at("teams", f"https://acme.webhook.office.com/webhookb2/{uuid()}@{uuid()}/IncomingWebhook/§/"
        + uuid(), hexa(32)),
    _at("api_key", "https://maps.acme.io/tiles?z=3&api_key=§&x=1", some(32)),
    _at("key of a bucket", "https://b.s3.acme.io/a?d=1&X-Amz-Security-Token=§&x", some(80)),
    _at("subscription", "https://api.acme.io/v1?ocp-apim-subscription-key=§", hexa(32)),
    _at("access_token", "https://graph.acme.io/me?access_token=§", some(60)),
    _at("signature", "https://a.blob.core.windows.net/c?sv=2022&sig=§%3D", some(43)),
    _at("entity", "<a href='https://x.acme.io/?a=1&amp;access_token=§'>x</a>", some(40)),
    _at("ftp", "ftp://backup:§@files.acme.io/dumps", password()),
)  # fmt: skip

CODE = (
    _at("python", 'client = Client(region="eu", api_key="§")', some(32)),
    _at("python tuple", 'requests.get(url, auth=("bob", "§"))', password()),
    _at("python dict", "conn = {'user': 'bob', 'password': '§'}", password()),
    _at("javascript", "const auth = { user: 'bob', pass: '§' };", password()),
    _at("typescript", "const accessToken: string = '§';", some(32)),
    _at("go", 'const apiToken = "§"', some(32)),
    _at("go short", 'password := "§"', password()),
    _at("java", 'dataSource.setPassword("§");', password()),
    _at("ruby", 'config.secret_key_base = "§"', hexa(64)),
    _at("php", "'db_password' => '§',", password()),
    _at("csharp", 'var clientSecret = "§";', some(34)),
    _at("rust", 'let token: &str = "§";', some(40)),
    _at("sql", "CREATE USER app IDENTIFIED BY '§';", password()),
    _at("sql alter", "ALTER ROLE app WITH PASSWORD '§';", password()),
)

PROSE = (
    _at("password is", "The password is §, please change it.", password()),
    _at("password for", "The password for the staging router is §.", password()),
    _at("password colon", "Password: §", password()),
    _at("password bold", "**Password:** `§`", password()),
    _at("password quoted", "Log in as bob with the password “§”.", password()),
    _at("password is a word", "The admin password is §.", "hunter2pass" + "word"),
    _at("wifi password is", "the wifi password is §", "blue" + "whale42"),
    _at("German word", "Das Passwort lautet §.", "Blumen" + "kohl77"),
    _at("token is", "Our deploy token is now §", some(24)),
    _at("login slash", "Login: bob / §", password()),
    _at("german", "Das Passwort für den Zugang lautet §.", password()),
    _at("german colon", "Kennwort: §", password()),
    _at("french", "Le mot de passe est « § ».", password()),
    _at("spanish", "La contraseña del servidor es §", password()),
    _at("portuguese", "Senha: §", password()),
    _at("polish", "Hasło do bazy to §", password()),
    _at("russian", "Пароль от сервера: §", password()),
    _at("chinese", "服务器密码是§。", password()),
    _at("chinese colon", "密码：§", password()),
    _at("japanese", "パスワードは「§」です。", password()),
    _at("korean", "비밀번호는 § 입니다", password()),
    _at("list item", "- user: bob\n- password: §", password()),
    _at("table", "| User | Password |\n|---|---|\n| amy | see vault |\n| bob | § |", password()),
    _at("table under an empty head", "| | |\n|-|-|\n| User | Password |\n| bob | § |", password()),
    _at("behind a comment", "password = §  # for example on the printer", password()),
    _at("behind a dash", "The wifi password — §", password()),
    _at("passphrase", 'password = "§"', "4639-correct-horse-Battery"),
    _at("table in German", "| Dienst | Kennwort |\n|---|---|\n| NAS | `§` |", password()),
    _at("comma rows", "name,password,role\namy,,admin\nbob,§,user", password()),
)  # fmt: skip

HIDDEN = (
    Planted("zero-width", _hidden(_token := _github(), "\u200b"), _token),
    Planted("joiner", f"token {_hidden(_token := _github(), chr(0x2060))}", _token),
    Planted("soft hyphen", _hidden(_token := _github(), "\xad"), _token),
    Planted("variation selector", _hidden(_token := _github(), "\ufe0f"), _token),
    Planted("byte order mark", _hidden(_token := _github(), "\ufeff"), _token),
    Planted("full width", _wide(_token := _github()), _token),
    Planted("entity in token", (_token := _github()).replace("_", "&#95;"), _token),
    Planted("entity hex", (_token := _github()).replace("_", "&#x5f;"), _token),
    Planted("entity named", (_token := _github()).replace("_", "&lowbar;"), _token),
    Planted("escaped for Markdown", (_token := _github()).replace("_", "\\_"), _token),
    Planted("hidden password", "password: " + _hidden(_token := some(24), "\u200d"), _token),
    _at("glued before", "tokenghp_§", some(36)),
    _at("glued aws", "keyAKIA§", some(16, string.ascii_uppercase + "234567")),
    _at("glued after", "npm_§und", some(36)),
    _at("glued slack", "slackxoxb-§", f"{digits(12)}-{digits(12)}-{some(24)}"),
    _at("glued in Japanese", "キーはghp_§です", some(36)),
    _at("glued gitlab", "CI_TOKEN_glpat-§", some(20)),
    _at("base64 of a key", f"KEY_B64={'§'}", _KUBE_KEY),
)

PLANTED = (*SHELL, *FILES, *URLS, *CODE, *PROSE, *HIDDEN)

_HEAD = "-----BEGIN "

INNOCENT: dict[str, str] = {
    "names of secrets in a cluster": (
        "Tokens: prometheus-k8s-token-nwtrf\nImage pull secrets: api-dockercfg-6wl6b"
    ),
    "prose of budgets": "The token budget is 24000 bytes, and the password has 12 characters.",
    "sha256": "sha256: " + hexa(64),
    "commit": "commit " + hexa(40),
    "short commit": "Fixed in " + hexa(10) + " and " + hexa(7) + ".",
    "uuid": "id: " + uuid(),
    "uuid of a request": "request_id=" + uuid() + " trace=" + hexa(32),
    "uuid under token": "token: 123e4567-e89b-12d3-a456-426614174000",
    "uuid of an app": "heroku run by dyno " + uuid(),
    "integrity": '"integrity": "sha512-' + some(86) + '=="',
    "base64 image": "![](data:image/png;base64," + some(4000) + ")",
    "base64 blob": "\n".join(some(76) for _ in range(30)),
    "certificate": f"{_HEAD}CERTIFICATE-----\n" + "\n".join(some(64) for _ in range(12))
    + "\n-----END CERTIFICATE-----",
    "certificate data": "certificate-authority-data: "
    + encoded(f"{_HEAD}CERTIFICATE-----\n{some(200)}"),
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + some(43) + " bob@acme",
    "public pem": f"{_HEAD}PUBLIC KEY-----\n{some(64)}\n{some(64)}\n-----END PUBLIC KEY-----",
    "public wireguard": "[Peer]\nPublicKey = " + some(43) + "=",
    "public token, linked": 'publicKey[[Token]]="30ad4fe6b2a6aeed"',
    "public key of stripe": "pk_live_" + some(24),
    "fingerprint": "SHA256:" + some(43) + " bob@acme (ED25519)",
    "aws example id": "AKIAIOSFODNN7EXAMPLE",
    "aws example key": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "your key": "api_key = 'your-api-key-goes-here-1'",
    "angle brackets": "api_key = <API_KEY_1>",
    "angle password": "password: <your password>",
    "variable": "password: ${DB_PASSWORD_1}",
    "shell variable": "mysql -u root -p$MYSQL_ROOT_PASSWORD shop",
    "curl variables": 'curl -u "$USER:$PASS" https://api.acme.io',
    "curl stand-in": "curl -u username:password https://api.acme.io",
    "curl prompt": "curl -u admin https://api.acme.io",
    "mysql prompt": "mysql -u root -p shop",
    "docker stand-in": '{"auth": "' + encoded("user:password") + '"}',
    "basic stand-in": "Authorization: Basic " + encoded("username:password"),
    "jinja": "password: {{ vault_db_password }}",
    "github expression": "token: ${{ secrets.GITHUB_TOKEN }}",
    "environment": "token = os.environ['TOKEN_1']",
    "environment in JS": "const token = process.env.API_TOKEN_V2;",
    "call": "access_token = response.json()",
    "changeme": "password: changeme",
    "changeme with digits": "password: ChangeMe123!",
    "password of documentation": 'password = "P@ssw0rd!"',
    "secret of documentation": "PASSWORD=s3cr3t123",
    "stars": "password: ************",
    "crosses": "api_key: xxxxxxxxxxxxxxxxxxxx",
    "dots": "token = abc...xyz",
    "required": "password is required",
    "rules": "The password is case-sensitive and must hold 1 digit.",
    "how kept": "Each password is PBKDF2-HMAC-SHA256-hashed.",
    "how encoded": "The token is Base64-encoded; the secret is AES-256-GCM-encrypted.",
    "where kept": "The password is in 1Password, under ops/db-2.",
    "type": "password: str | None = None",
    "type in YAML": "token: {type: string, format: uuid4}",
    "call of a method": "password.encode('utf-8')",
    "hashed": "password_hash = " + hexa(64),
    "bcrypt": "password: $2b$12$" + some(53),
    "crypt": "bob:$6$" + some(8) + "$" + some(86) + ":19000:0:99999:7:::",
    "reference": "secret_name = projects/demo/secrets/db-2",
    "file of a password": "password_file: /run/secrets/db_password_2",
    "arn": "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-a1B2c3",
    "vault reference": "password: op://prod/db/password1",
    "vaulted": "db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  " + digits(80),
    "max tokens": "max_tokens: 100000000000",
    "tokenizer": "tokenizer: claude-tokenizer-v3.2",
    "page token": "next_page_token: " + hexa(32),
    "redirect": "https://www.example.org/redirect?redir_token=" + some(60) + "&q=https",
    "where a list goes on": "https://acme.io/list?searchToken=" + some(26) + "&nextPageToken="
    + some(40) + "&sstoken=" + some(40),
    "a meeting": "https://acme.zoom.us/j/91846860726?pwd=" + some(32),
    "a token that is cut": "wss://acme.io/ws?token=eyJhbGciOiJIUzI1...",
    "csrf": '<input name="csrf_token" value="' + some(40) + '">',
    "etag": 'ETag: "' + hexa(32) + '"',
    "endpoint": "token_endpoint = /v1/oauth2/token",
    "local url": "postgres://user:password@localhost/db",
    "port": "https://example.org:8080/path@v2",
    "mail": "mailto:bob@acme.io, ssh://git@git.acme.io:2222/a.git",
    "crossed token": "ghp_" + "x" * 36,
    "package": "sk-learn-pipelines-are-not-keys-at-all-really",
    "key in prose": f"`{_HEAD}RSA PRIVATE KEY-----` marks a key in PKCS 1 and there is more prose",
    "dotted key": f"{_HEAD}PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "bearer stand-in": "Authorization: Bearer <token>",
    "css": ".token.keyword{color:#07a;font:12px/1.5 Menlo}.pass-1{margin:0 0 1em 2px}",
    "css variable": "--key-color-2: #1f6feb; --token-size: calc(1rem + 2px);",
    "lorem": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.",
    "isbn": "ISBN 978-3-16-148410-0, DOI 10.1000/xyz123, arXiv:2301.00001v2",
    "numbers": "The key figures are 12,345,678.90 and 2024-11-20T10:11:12Z.",
    "primary key": "primary_key: order_items_2024_pk, sort_key=createdAt#2024",
    "cache key": "cache-key: v2-deps-" + hexa(40),
    "key binding": "keys: Ctrl+Shift+F12, key = Alt+F4",
    "iban": "IBAN DE89 3704 0044 0532 0130 00",
    "table of names": "| Token | Meaning |\n| --- | --- |\n| T_OPEN_TAG_2 | `<?php` |",
    "table of rules": "| Password | at least 12 characters |\n|---|---|\n| Length | 8-64 |",
    "table with the word in a row": (
        "| A | B |\n|---|---|\n| x | pull-secret |\n| y | 4639-oci-volume-source |"
    ),
    "table of hashes": "| File | SHA-256 |\n|---|---|\n| a.tgz | " + hexa(64) + " |",
    "link to a claim": "- [[Secret scan#^c-0kxmzkn83z]]\n- [[Password rules#^n-mydntf5ybt]]\n",
    "field of a template": 'url = f"kafka://{sasl_username}:{sasl_password}@broker:9094"',
    "verifier": "ALTER USER bob PASSWORD 'SCRAM-SHA-256$<iterations>:<salt>$<key>:<key>'",
    "mark of a footnote": "- Merged when all tests pass.” [^rfc-156-auto-merge-internal-prs-md]",
    "questions": "密码是什么？トークンの数、パスワードは12文字以上です。Пароль обязателен.",
    "netrc stand-in": "machine api.acme.io login USERNAME password PASSWORD",
    "url of a hook": "https://hooks.slack.com/services/T00000000/B00000000/" + "X" * 24,
    "telegram stand-in": "https://api.telegram.org/bot<token>/getUpdates",
    "discord api": "https://discord.com/api/webhooks/WEBHOOK_ID/WEBHOOK_TOKEN",
    "version": "auth: 2.0.0-rc.4, secret-manager: 1.29.3, token-lib@^4.5.6",
    "path": "private_key: ~/.ssh/id_ed25519, credentials: ./gcp/sa-2.json",
    "path of Windows": "MasterKey: C:\\Users\\Anna\\AppData\\Protect\\S-1-5-21-4713\\355e0c19-729c",
    "kubernetes reference": "secretKeyRef:\n  name: db-secret-v2\n  key: password1",
    "javascript names": "const secretAccessKey2Name = getSecretValueV2(secretId1);",
    "comparison": "while tokens > 0.9*window: drop(), if tokens>0.9*window, tokens = window*2/5",
    "passages": "passages (professor/marionette#436, passages 0.9*window2, Passau (a/b2c#12)",
    "an issue behind a name": "Rotate the token (owner/repo#1234), see password owner/repo2#77.",
    "schema": '{"password": {"type": "string", "minLength": 8, "pattern": "^[a-z0-9]{8,20}$"}}',
    "schema in YAML": "password:\n  $ref: '#/definitions/password2'\n  maxLength: 64",
    "pointer in JSON": '{"token": "#/components/schemas/Token2"}',
    "line break in JSON": r'"Credential store.\nhttps://acme.io/blob/v2.96.0/docs/accounts.md#x"',
    "count in JSON": r'"max_output_tokens = 10_000\n"',
    "lock file": 'js-tokens: "npm:^10.0.0"',
    "name of a file": "malicious-pypi-user-strikes-again-with-typosquatting-and-starjacking",
    "path beside a path": '"/wiki/../../etc/passwd", "/wiki/..%2f..%2f.git/config"',
    "method": 'SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")',
    "how a password is kept": "The password is base64encoded, the passphrase is argon2idhashed.",
    "putty in prose": "It begins with PuTTY-User-Key-File-3: ssh-ed25519\nand so on.",
    "password from a pipe": (
        "docker login --username AWS --password-stdin 895885662937.dkr.ecr.us-west-2.amazonaws.com"
    ),
    "token in a title": "**Budgets and Token Selection** — arxiv.org/abs/2605.06676",
    "tokens end a sentence": "Prices of output tokens. **1.6-trillion-parameter model** is next.",
    "host": "token: registry2.acme.io:5000/team/app",
    "report of Power BI": "https://app.powerbi.com/view?r="
    + encoded('{"k":"ab0d0a12-536c-4220-9898-4030f9f34b82","t":"39fb0b21-d1de-4223-986d"}'),
    "row of a plan": "-> Index Scan using user_reset_password_events (cost=0.43..7.82 rows=1)",
    "echo into a file": "echo fs.inotify.max_user_watches=524288 | sudo tee -a /etc/sysctl.conf",
    "tags": '"tags": ["security/password","education/it/ap1/notes"]',
    "hash of Werkzeug": "SET password='pbkdf2:sha256:150000$" + some(8) + "$" + hexa(64) + "'",
    "fingerprint of a key": "gpg --delete-secret-key E130BB49AAA234F2BE2A7F96714F9CBFDA191430",
    "words of another script": "API_SECRET=какой-нибудь-длинный-случайный-ключ-32символа",
    "part of a page": "https://acme.io/s?idx=1&token=303432174#wechat_redirect",
    "option behind a stand-in": "xfreerdp /u:USERNAME /p:PASSWORD /v:10.129.86.10 /drive:d",
    "key that Stripe's documentation shows": "curl -u sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2:",
    "password of Kubernetes' documentation": "--from-literal=password=Y4nys7f11",
    "token of RFC 6750": "Authorization: Bearer mF_9.B5f-4.1JqM-and-more",
    "counted": "postgresql://user_123:123456789012345@10.0.1.1/my_app_db",
    "passport": "Passport No. X1234567, Passau 94032, pass rate 99.5%",
}  # fmt: skip
