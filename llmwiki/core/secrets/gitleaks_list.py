"""Shapes of tokens from a kept list: gitleaks 8.30.1, MIT licence, see NOTICE.

Data; made by tools/keep_shapes.py, never edited by hand. Each entry: the list's name of it, words
in lower case of which a text holds one, the pattern, and the least entropy in bits a character.
"""

from __future__ import annotations

Entry = tuple[str, tuple[str, ...], str, float]

# fmt: off
TOKENS: tuple[Entry, ...] = (
    ('1password-secret-key', ('a3-',), 'A3-[A-Z0-9]{6}-(?:(?:[A-Z0-9]{11})|(?:[A-Z0-9]{6}-[A-Z0-9]{5}))-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}', 3.8),
    ('1password-service-account-token', ('ops_',), 'ops_eyJ[a-zA-Z0-9+/]{250,}={0,3}', 4.0),
    ('adobe-client-secret', ('p8e-',), 'p8e-(?i:[a-z0-9]{32})', 2.0),
    ('age-secret-key', ('age-secret-key-1',), 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}', 0.0),
    ('airtable-personnal-access-token', ('airtable',), 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}', 0.0),
    ('alibaba-access-key-id', ('ltai',), 'LTAI(?i:[a-z0-9]{20})', 2.0),
    ('artifactory-reference-token', ('cmvmd',), 'cmVmd[A-Za-z0-9]{59}', 4.5),
    ('authress-service-client-access-key', ('authress_', 'ext_', 'sc_', 'scauth_'), '(?:sc|ext|scauth|authress)_(?i:[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.(?-i:acc)[_-][a-z0-9-]{10,32}\\.[a-z0-9+/_=-]{30,120})', 2.0),
    ('aws-amazon-bedrock-api-key-long-lived', ('absk',), 'ABSK[A-Za-z0-9+/]{109,269}={0,2}', 3.0),
    ('clickhouse-cloud-api-secret-key', ('4b1d',), '4b1d[A-Za-z0-9]{38}', 3.0),
    ('clojars-api-token', ('clojars_',), '(?i:CLOJARS_[a-z0-9]{60})', 2.0),
    ('cloudflare-origin-ca-key', ('cloudflare', 'v1.0-'), 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}', 2.0),
    ('databricks-api-token', ('dapi',), 'dapi[a-f0-9]{32}(?:-\\d)?', 3.0),
    ('defined-networking-api-token', ('dnkey',), '(?i:dnkey-[a-z0-9=_\\-]{26}-[a-z0-9=_\\-]{52})', 0.0),
    ('digitalocean-access-token', ('doo_v1_',), 'doo_v1_[a-f0-9]{64}', 3.0),
    ('digitalocean-pat', ('dop_v1_',), 'dop_v1_[a-f0-9]{64}', 3.0),
    ('digitalocean-refresh-token', ('dor_v1_',), '(?i:dor_v1_[a-f0-9]{64})', 0.0),
    ('dropbox-short-lived-api-token', ('dropbox',), '(?i:sl\\.[a-z0-9\\-=_]{135})', 0.0),
    ('duffel-api-token', ('duffel_',), 'duffel_(?:test|live)_(?i:[a-z0-9_\\-=]{43})', 2.0),
    ('dynatrace-api-token', ('dt0c01.',), 'dt0c01\\.(?i:[a-z0-9]{24}\\.[a-z0-9]{64})', 4.0),
    ('easypost-api-token', ('ezak',), 'EZAK(?i:[a-z0-9]{54})', 2.0),
    ('easypost-test-api-token', ('eztk',), 'EZTK(?i:[a-z0-9]{54})', 2.0),
    ('facebook-access-token', ('facebook',), '(?i:\\d{15,16}(?:\\||%)[0-9a-z\\-_]{27,40})', 3.0),
    ('facebook-page-access-token', ('eaac', 'eaam'), 'EAA[MC](?i:[a-z0-9]{100,})', 4.0),
    ('flutterwave-encryption-key', ('flwseck_test',), 'FLWSECK_TEST-(?i:[a-h0-9]{12})', 2.0),
    ('flutterwave-secret-key', ('flwseck_test',), 'FLWSECK_TEST-(?i:[a-h0-9]{32}-X)', 2.0),
    ('flyio-access-token', ('fm1', 'fm2_', 'fo1_'), 'fo1_[\\w-]{43}|fm1[ar]_[a-zA-Z0-9+\\/]{100,}={0,3}|fm2_[a-zA-Z0-9+\\/]{100,}={0,3}', 4.0),
    ('frameio-api-token', ('fio-u-',), 'fio-u-(?i:[a-z0-9\\-_=]{64})', 0.0),
    ('gcp-api-key', ('aiza',), 'AIza[\\w-]{35}', 4.0),
    ('gitlab-rrt', ('gr1348941',), 'GR1348941[\\w-]{20}', 3.0),
    ('gitlab-session-cookie', ('_gitlab_session=',), '_gitlab_session=[0-9a-z]{32}', 3.0),
    ('gocardless-api-token', ('gocardless', 'live_'), '(?i:live_(?i:[a-z0-9\\-_=]{40}))', 0.0),
    ('grafana-api-key', ('eyjrijoi',), '(?i:eyJrIjoi[A-Za-z0-9]{70,400}={0,3})', 3.0),
    ('grafana-cloud-api-token', ('glc_',), '(?i:glc_[A-Za-z0-9+/]{32,400}={0,3})', 3.0),
    ('grafana-service-account-token', ('glsa_',), '(?i:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})', 3.0),
    ('harness-api-key', ('pat.', 'sat.'), '(?:pat|sat)\\.[a-zA-Z0-9_-]{22}\\.[a-zA-Z0-9]{24}\\.[a-zA-Z0-9]{20}', 0.0),
    ('infracost-api-token', ('ico-',), 'ico-[a-zA-Z0-9]{32}', 3.0),
    ('intra42-client-secret', ('intra', 's-s4t2af-', 's-s4t2ud-'), 's-s4t2(?:ud|af)-(?i:[abcdef0123456789]{64})', 3.0),
    ('linear-api-key', ('lin_api_',), 'lin_api_(?i:[a-z0-9]{40})', 2.0),
    ('lob-api-key', ('live_', 'test_'), '(?i:(?:live|test)_[a-f0-9]{35})', 0.0),
    ('maxmind-license-key', ('_mmk',), '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk', 4.0),
    ('microsoft-teams-webhook', ('incomingwebhook', 'webhook.office.com', 'webhookb2'), 'https://[a-z0-9]+\\.webhook\\.office\\.com/webhookb2/[a-z0-9]{8}-(?:[a-z0-9]{4}-){3}[a-z0-9]{12}@[a-z0-9]{8}-(?:[a-z0-9]{4}-){3}[a-z0-9]{12}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9]{8}-(?:[a-z0-9]{4}-){3}[a-z0-9]{12}', 0.0),
    ('new-relic-insert-key', ('nrii-',), '(?i:NRII-[a-z0-9-]{32})', 0.0),
    ('npm-access-token', ('npm_',), '(?i:npm_[a-z0-9]{36})', 2.0),
    ('octopus-deploy-api-key', ('api-',), 'API-[A-Z0-9]{26}', 3.0),
    ('openshift-user-token', ('sha256~',), 'sha256~[\\w-]{43}', 3.5),
    ('perplexity-api-key', ('pplx-',), 'pplx-[a-zA-Z0-9]{48}', 4.0),
    ('plaid-api-token', ('plaid',), '(?i:access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})', 0.0),
    ('postman-api-token', ('pmak-',), 'PMAK-(?i:[a-f0-9]{24}\\-[a-f0-9]{34})', 3.0),
    ('prefect-api-token', ('pnu_',), 'pnu_[a-zA-Z0-9]{36}', 2.0),
    ('pulumi-api-token', ('pul-',), 'pul-[a-f0-9]{40}', 2.0),
    ('readme-api-token', ('rdme_',), 'rdme_[a-z0-9]{70}', 2.0),
    ('rubygems-api-token', ('rubygems_',), 'rubygems_[a-f0-9]{48}', 2.0),
    ('scalingo-api-token', ('tk-us-',), 'tk-us-[\\w-]{48}', 2.0),
    ('sendinblue-api-token', ('xkeysib-',), 'xkeysib-[a-f0-9]{64}\\-(?i:[a-z0-9]{16})', 2.0),
    ('sentry-org-token', ('sntrys_eyjpyxqio',), 'sntrys_eyJpYXQiO[a-zA-Z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-zA-Z0-9+/]{10,200}={0,2}_[a-zA-Z0-9+/]{43}', 4.5),
    ('sentry-user-token', ('sntryu_',), 'sntryu_[a-f0-9]{64}', 3.5),
    ('settlemint-application-access-token', ('sm_aat',), 'sm_aat_[a-zA-Z0-9]{16}', 3.0),
    ('settlemint-personal-access-token', ('sm_pat',), 'sm_pat_[a-zA-Z0-9]{16}', 3.0),
    ('settlemint-service-access-token', ('sm_sat',), 'sm_sat_[a-zA-Z0-9]{16}', 3.0),
    ('shippo-api-token', ('shippo_',), 'shippo_(?:live|test)_[a-fA-F0-9]{40}', 2.0),
    ('shopify-access-token', ('shpat_',), 'shpat_[a-fA-F0-9]{32}', 2.0),
    ('shopify-custom-access-token', ('shpca_',), 'shpca_[a-fA-F0-9]{32}', 2.0),
    ('shopify-private-app-access-token', ('shppa_',), 'shppa_[a-fA-F0-9]{32}', 2.0),
    ('shopify-shared-secret', ('shpss_',), 'shpss_[a-fA-F0-9]{32}', 2.0),
    ('slack-config-access-token', ('xoxe.xoxb-', 'xoxe.xoxp-'), '(?i:xoxe.xox[bp]-\\d-[A-Z0-9]{163,166})', 2.0),
    ('slack-config-refresh-token', ('xoxe-',), '(?i:xoxe-\\d-[A-Z0-9]{146})', 2.0),
    ('slack-legacy-workspace-token', ('xoxa', 'xoxr'), 'xox[ar]-(?:\\d-)?[0-9a-zA-Z]{8,48}', 2.0),
    ('typeform-api-token', ('tfp_',), '(?i:tfp_[a-z0-9\\-_\\.=]{59})', 0.0),
    ('yandex-access-token', ('yandex',), '(?i:t1\\.[A-Z0-9a-z_-]+[=]{0,2}\\.[A-Z0-9a-z_-]{86}[=]{0,2})', 0.0),
    ('yandex-api-key', ('yandex',), '(?i:AQVN[A-Za-z0-9_\\-]{35,38})', 0.0),
)
"""Told by their own shape."""

ISSUERS_OF_UUIDS: tuple[str, ...] = ('heroku', 'hubspot', 'kucoin', 'snyk', 'squarespace')
"""In lower case: whose keys are UUIDs, told by the name they stand behind only."""
# fmt: on
