# The end of a plugin whose beginning defines describes, and may define scores: what it says of itself, and N scores.
command -v scores >/dev/null || scores() { yes 1 | head -n "$1"; }
while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*describe*) echo '{"id":'$id',"protocol":[1,1],"version":"1",'"$(describes)"'}' ;;
	*'"op":"score"'*)
		file=$(printf '%s\n' "$line" | sed 's/.*"x":"\([^"]*\)".*/\1/')
		n=$(dd bs=128 count=1 <"$file" 2>/dev/null | tr -d '\0' | LC_ALL=C sed -n "s/.*'shape': *(\([0-9]*\),.*/\1/p")
		echo '{"id":'$id',"scores":['$(scores "$n" | tr '\n' ',' | sed 's/,$//')']}' ;;
	*no-such*) echo '{"id":'$id',"error":"not known"}' ;;
	*) echo '{"id":'$id'}' ;;
	esac
done
