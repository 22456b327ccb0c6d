# Runs one server and ends it when the owner is gone. Standard input is a pipe whose other end the owner holds; the
# kernel closes it however the owner ends, kill -9 included. Runs under any POSIX sh, in a session of its own.
#
# $1 signal that asks the server to end   $2 signal for a server that did not within 5 s   $3… the server's command
stop=$1 force=$2
shift 2

exec 3<&0
"$@" </dev/null 3<&- &
server=$!

# Waits for some seconds, or until the guard is gone, and with it the server: its process id may then belong to
# another. Waits in a way that a signal to this shell ends, and leaves no zombie process.
nap() {
  left=$1
  while [ "$left" -gt 0 ]; do
    kill -0 "$$" || exit
    sleep 1 &
    pause=$!
    wait "$pause"
    left=$((left - 1))
  done
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
