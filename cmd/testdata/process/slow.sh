# A method whose fit never ends.
while read -r line; do
	case $line in
	*describe*) echo '{"id":1,"protocol":[1,1],"name":"Slow","version":"1","tasks":["binary"]}' ;;
	*) while :; do sleep 1; done ;;
	esac
done
