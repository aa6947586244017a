#!/usr/bin/env bash
# Two classifiers of Fashion-MNIST, four shifts, an attack on each classifier, and one report.
#
#   examples/demo.sh [FOLDER]     # default: leeway-demo; needs leeway on the PATH
#
# A second run trains nothing: train keeps weights of the same options and data (--reuse).
set -euo pipefail
mkdir -p "${1:-leeway-demo}"
cd "${1:-leeway-demo}"

run() {
  printf '\n$ leeway %s\n' "$*"
  leeway "$@"
}

# One is trained as usual; the other starts from it and is trained on images under attack.
run train --data fashion-mnist:train --epochs 6 --reuse --out standard.safetensors
run train --data fashion-mnist:train --epochs 3 --reuse --out robust.safetensors \
  --start standard.safetensors --algorithm pgd --eps 16/255 --set steps=4

run shift gaussian-noise --data fashion-mnist:test --strength 0.2 --out noise.npz
run shift gaussian-blur --data fashion-mnist:test --strength 1.5 --out blur.npz
run shift contrast --data fashion-mnist:test --strength 0.4 --out contrast.npz
run shift rotation --data fashion-mnist:test --strength 20 --out rotation.npz
run attack --model standard.safetensors robust.safetensors --data fashion-mnist:test --eps 16/255 --steps 20 \
  --out 'attack-{model}.npz'

run infer --model standard.safetensors robust.safetensors --out '{model}-{data}.npz' \
  --data fashion-mnist:test noise.npz blur.npz contrast.npz rotation.npz
for model in standard robust; do
  run infer --model "$model.safetensors" --data "attack-$model.npz" --out "$model-attack.npz"
done

targets=()
for model in standard robust; do
  targets+=("$model/noise 0.2=$model-noise.npz" "$model/blur 1.5=$model-blur.npz" "$model/contrast 0.4=$model-contrast.npz"
    "$model/rotation 20=$model-rotation.npz" "$model/attack 16/255=$model-attack.npz")
done
run assess --source standard=standard-fashion-mnist-test.npz robust=robust-fashion-mnist-test.npz --target "${targets[@]}" \
  --images fashion-mnist:test "noise 0.2=noise.npz" "blur 1.5=blur.npz" "contrast 0.4=contrast.npz" "rotation 20=rotation.npz" \
  "standard/attack 16/255=attack-standard.npz" "robust/attack 16/255=attack-robust.npz" \
  --unit images --out assessment.json --report report.html
printf '\nThe page: %s\n' "$PWD/report.html"
