#!/bin/sh
# Makes the documents of this folder again from those in source/, with the programs people use.
# What made those that are kept: LibreOffice 7.4.7, pandoc 2.17.1, Chromium 156 (Debian 12), with
# the fonts Liberation, DejaVu, Noto CJK and Droid Sans Fallback. Other
# versions give other bytes and the same text.
#
# usage: make.sh [FOLDER]    (where to put them; this folder if none is named)
set -eu
cd "$(dirname "$0")"
to=$(realpath "${1:-.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp source/* "$work"
cd "$work"

# office SOURCE NAME FORMAT: one document saved by LibreOffice in another format (tables of text
# are UTF-8, with commas).
office() {
    soffice "-env:UserInstallation=file://$work/profile" --headless \
        "--infilter=CSV:44,34,UTF8,1" --convert-to "$3" --outdir "$work/out" "$1" >/dev/null 2>&1
    mv "$work/out/$(basename "${1%.*}").${3%%:*}" "$to/$2"
}
# browser OPTION... URL: a page as Chromium shows it.
browser() {
    chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer \
        "--user-data-dir=$work/browser" "$@" 2>/dev/null
}

office report.fodt report.odt odt
for name in report rtl japanese; do
    office $name.fodt $name.docx docx
    office $name.fodt $name-office.pdf pdf
done
archival='{"SelectPdfVersion":{"type":"long","value":"2"}}'
office notice.csv notice-archival.pdf "pdf:calc_pdf_Export:$archival"
password='{"EncryptFile":{"type":"boolean","value":"true"},'
password=$password'"DocumentOpenPassword":{"type":"string","value":"ebb"}}'
office notice.csv notice-locked.pdf "pdf:calc_pdf_Export:$password"
office fees.fods fees.ods ods
office "$to/fees.ods" fees.xlsx xlsx
office gauges.csv gauges.xlsx xlsx
office slides.fodp slides.odp odp
office slides.fodp slides.pptx pptx

for name in columns rtl japanese; do
    browser "--print-to-pdf=$to/$name.pdf" "file://$work/$name.html"
done
browser --dump-dom "file://$work/page.html" >"$to/page-dumped.html"
office report.fodt report-office.html "html:HTML (StarWriter):UTF8"

for form in docx odt rst org ipynb html epub; do
    pandoc --standalone handbook.md -o "$to/handbook.$form"
done
