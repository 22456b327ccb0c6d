# Runs one server and ends it when the owner is gone. Standard input is a pipe whose other end the owner holds; the
# kernel closes it however the owner ends, kill -9 included. Runs under any POSIX sh, in a session of its own.
#
# $1 signal that asks the server to end   $2 signal for a server that did not within 5 s   $3… the server's command
stop=$1 force=$2
shift 2

exec 3<&0
"$@" </dev/null 3<&- &
server=$!

# Waits in a way that a signal to this shell ends, and leaves no process that nobody collects.
nap() {
  sleep "$1" &
  pause=$!
  wait "$pause"
}

(
  while read -r _; do :; done <&3
  trap 'kill "$pause"; wait "$pause"; exit' TERM
  kill -s "$stop" "$server"
  nap 5
  kill -s "$force" "$server"
  nap 2
  kill -s KILL "$server"
) 2>/dev/null &
watcher=$!
exec 3<&-

trap 'kill -s "$stop" "$server"' TERM INT HUP
wait "$server"
status=$?
# A trapped signal ends a wait early; the server may still be running.
while kill -0 "$server" 2>/dev/null; do
  wait "$server"
  status=$?
done

kill -s TERM "$watcher" 2>/dev/null
wait "$watcher"
exit "$status"
