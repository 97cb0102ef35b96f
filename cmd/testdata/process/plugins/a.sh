# Its name wants to be a program of the page, and so does what it writes to standard error before it fails.
while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*describe*) echo '{"id":'$id',"protocol":[1,1],"name":"<img src=x onerror=document.title=1>","version":"1","tasks":["binary"]}' ;;
	*) echo '<script>document.title="owned"</script>' >&2; exit 3 ;;
	esac
done
