#!/bin/sh
# Lets a kube-scheduler that kubeadm set up ask the extender. On each node of the control
# plane, as root:
#
#   deploy/scheduler.sh CA.CRT     CA.CRT is the ca.crt of the command certs
#   deploy/scheduler.sh undo       kube-scheduler runs as before
#
# The kubelet starts kube-scheduler anew when its manifest changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
etc=${ETC_KUBERNETES:-/etc/kubernetes}
manifest=$etc/manifests/kube-scheduler.yaml
ours=$etc/plimsoll
[ $# = 1 ] || { echo "usage: scheduler.sh CA.CRT, or scheduler.sh undo" >&2; exit 2; }
[ -f "$manifest" ] || { echo "scheduler.sh: there is no $manifest: want a node of the control plane that kubeadm set up" >&2; exit 1; }
if [ "$1" = undo ]; then
  [ -f "$ours/before.yaml" ] || { echo "scheduler.sh: there is no $ours/before.yaml, so there is nothing to undo" >&2; exit 1; }
  mv "$ours/before.yaml" "$manifest" && rm -r "$ours"
  exit
fi
if grep -q -- '- --config=' "$manifest"; then
  echo "scheduler.sh: kube-scheduler has a --config already: add the extender and the arguments of $here/scheduler.yaml to that file" >&2
  exit 1
fi
install -D -m 644 "$1" "$ours/ca.crt"
install -m 644 "$here/scheduler.yaml" "$ours/scheduler.yaml"
kubectl patch --local --type json --patch-file "$here/scheduler.json" -f "$manifest" -o yaml >"$ours/new.yaml"
cp -p "$manifest" "$ours/before.yaml"
chmod --reference "$manifest" "$ours/new.yaml"
mv "$ours/new.yaml" "$manifest" # whole at once, since the kubelet watches the folder
