#!/bin/sh
# A vault that opens with two words in order, and breaks on a third.
level=0
echo "the vault is shut"
while read -r word; do
    case "$level $word" in
        "0 abc") level=1; echo "one bolt is open" ;;
        "1 42") level=2; echo "the vault is open" ;;
        "1 name@example.com") echo "it breaks"; exit 3 ;;
        *) level=0; echo "the vault is shut" ;;
    esac
done
