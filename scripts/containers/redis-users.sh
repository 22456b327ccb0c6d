#!/bin/sh
# Prints the ACL file of a Redis: a user for each deployable, with the keys and commands that it needs and no others.
#   redis-users.sh state   sessions, grants, events, presence; REDIS_PASSWORD and *_REDIS_PASSWORD are the passwords
#   redis-users.sh cache   what clients can have stored; CACHE_REDIS_PASSWORD and GATEWAY_CACHE_REDIS_PASSWORD
# Passwords leave it as SHA-256 sums. docker-compose.yml runs it before each Redis starts.
set -eu

# The end of a user's line that lets in a client with the password.
password() {
  printf '#%s' "$(printf %s "$1" | sha256sum | cut -d ' ' -f 1)"
}

# What every connection does: introduce itself and ask whether the server is ready.
connect='+@connection -@admin -@dangerous +info'
# Scripts run with the rights of their caller.
scripts='+eval +evalsha +script|load +script|exists'
# Streams of events. A relay adds to its own, readers follow.
streams='+xadd +xread +xrange +xrevrange +xlen +xtrim +del'
# Processes of a service announce who has just changed something, on a channel of their own.
writers='+publish +subscribe +unsubscribe'
sorted_sets='+zadd +zrem +zscore +zrangebyscore +zrevrangebyscore +time'

# For health checks: it may ask, and nothing else. The holder of REDIS_PASSWORD is the operator.
common() {
  cat <<END
user default off resetpass -@all
user health on nopass -@all +ping
user operator on $(password "$1") ~* &* +@all
END
}

state() {
  # Here, because a command that fails within the text below would not end the script.
  : "${REDIS_PASSWORD:?}" "${GATEWAY_REDIS_PASSWORD:?}" "${AUTH_REDIS_PASSWORD:?}" "${USERS_REDIS_PASSWORD:?}" \
    "${POSTS_REDIS_PASSWORD:?}" "${COMMENTS_REDIS_PASSWORD:?}" "${SEARCH_REDIS_PASSWORD:?}"
  common "$REDIS_PASSWORD"
  cat <<END
user gateway on $(password "${GATEWAY_REDIS_PASSWORD}") %R~revocations %W~trellis:{activity}:stream &revocations -@all $connect +zrangebyscore +xadd +subscribe +unsubscribe
user auth-server on $(password "${AUTH_REDIS_PASSWORD}") $(auth_keys) &revocations -@all +@read +@write +@transaction -scan -randomkey $connect $scripts +time +wait +publish
user users on $(password "${USERS_REDIS_PASSWORD}") ~trellis:{events:users}:* ~trellis:{events:presence}:* %R~trellis:{activity}:stream &trellis:{events:users}:writers -@all $connect $writers $scripts $streams $sorted_sets
user posts on $(password "${POSTS_REDIS_PASSWORD}") ~trellis:{events:posts}:* &trellis:{events:posts}:writers -@all $connect $writers $streams
user comments on $(password "${COMMENTS_REDIS_PASSWORD}") ~trellis:{events:comments}:* %R~trellis:{events:posts}:* &trellis:{events:comments}:writers -@all $connect $writers $streams
user search on $(password "${SEARCH_REDIS_PASSWORD}") %R~trellis:{events:users}:* %R~trellis:{events:posts}:* %R~trellis:{events:comments}:* &trellis:{events:search}:writers -@all $connect $writers +xread +xrange +xrevrange
END
}

# Every kind of key that the auth-server has, each followed by what it is about in braces.
auth_keys() {
  for kind in account-grants account-sessions assertion attempts code device grant link live-link \
    pushed pushed-used revoked revoked-before session session-clients session-grants \
    session-seen transaction-answered user-code; do
    printf '~%s:{* ' "$kind"
  done
  printf '~revocations'
}

cache() {
  : "${CACHE_REDIS_PASSWORD:?}" "${GATEWAY_CACHE_REDIS_PASSWORD:?}"
  common "$CACHE_REDIS_PASSWORD"
  cat <<END
user gateway on $(password "${GATEWAY_CACHE_REDIS_PASSWORD}") ~* &* -@all +@read +@write +@transaction -scan -randomkey $connect $scripts +time +publish +subscribe +unsubscribe
END
}

case "${1:-}" in
  state | cache) "$1" ;;
  *)
    echo 'usage: redis-users.sh state|cache' >&2
    exit 64
    ;;
esac
