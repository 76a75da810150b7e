#!/usr/bin/env bash
# Runs the second stage of deploy/docker/Dockerfile without a container engine, after the steps of
# the first that make the packages smaller: the same steps, user, variables and commands, in a root of
# its own that is read-only but for its volumes, with this machine's system in place of the base
# image. Says how many MB the package has then. Needs root.
#
#   container.sh DOCKERFILE PACKAGE    # PACKAGE: the folder that becomes /opt/mooring
set -euo pipefail
dockerfile=$1 package=$2
root=$(mktemp -d)

# Instructions of the last stage.
of() { sed -n '/^FROM debian/,$ s/^'"$1"' //p' "$dockerfile"; }
IFS=: read -r uid gid <<<"$(of USER)"
export -f of

if [ "${3:-}" != inside ]; then
  # Its processes, mounts and ports are nobody else's, and end with it.
  rmdir "$root"
  exec unshare --mount --pid --net --fork --kill-child bash "$0" "$dockerfile" "$package" inside
fi

ip link set lo up 2>/dev/null || true
mount -t tmpfs none "$root"
mkdir -p "$root"/{usr,dev,proc,tmp,opt/mooring}
for name in bin lib lib64 sbin; do ln -s "usr/$name" "$root/$name"; done
mount --bind -o ro /usr "$root/usr"
mount --rbind /dev "$root/dev"
mount -t proc none "$root/proc"
cp -a /etc "$root/etc"
mount --bind "$package" "$root/opt/mooring"
slimming=$(sed -n '/^FROM debian/ q; s/^RUN \(.* \/opt\/mooring\/node_modules.*\)/\1/p' "$dockerfile")
printf '%s\n' "$slimming" "$(of RUN)" | while read -r step; do
  echo "RUN $step"
  chroot "$root" sh -euc "$step"
done
du -sm "$root/opt/mooring"
for volume in $(of VOLUME); do
  mkdir -p "$root$volume"
  mount -t tmpfs -o "uid=$uid,gid=$gid,mode=0700" none "$root$volume"
done
mount -o remount,bind,ro "$root/opt/mooring"
mount -o remount,ro "$root"

as_user=(chroot "$root" setpriv --reuid="$uid" --regid="$gid" --clear-groups --no-new-privs
  --bounding-set=-all env -i PATH=/usr/bin:/bin $(of ENV))
! "${as_user[@]}" touch /opt/mooring/x /x 2>/dev/null
entrypoint=$(of ENTRYPOINT | tr -d '[]",') command=$(of CMD | tr -d '[]",')
health=$(of HEALTHCHECK | sed 's/^.* CMD //; q')
# shellcheck disable=SC2086 -- lists of words
"${as_user[@]}" $entrypoint $command &
service=$!
for _ in $(seq 120); do
  if "${as_user[@]}" sh -c "$health"; then break; fi
  kill -0 "$service" || { echo 'the service has ended'; exit 1; }
  sleep 1
done
"${as_user[@]}" sh -c "$health"
echo 'healthy'
"${as_user[@]}" $entrypoint status
kill -TERM "$service"
wait "$service"
if "${as_user[@]}" sh -c "$health"; then echo 'healthy though it has ended'; exit 1; fi
echo 'stopped cleanly'
