#!/bin/bash -eu
# Builds the program that holds every target, and installs a copy named after each, with an archive
# of its seeds and a dictionary. OSS-Fuzz sets SRC and OUT. A search for leaks would find memory
# that the C library holds for a thread that is ending.

cd "$SRC/unspool"
cargo fuzz build -O --fuzz-dir fuzz run

for target in $(cargo run --quiet --release --manifest-path fuzz/Cargo.toml -- --list); do
  cp fuzz/target/x86_64-unknown-linux-gnu/release/run "$OUT/$target"
  printf '[asan]\ndetect_leaks=0\n' > "$OUT/$target.options"
  family=${target%%_*}
  seeds=fuzz/seeds/$family
  if [ ! -d "$seeds" ]; then seeds=fuzz/seeds/common; fi
  (cd "$seeds" && find . -type f | LC_ALL=C sort | zip -q -X -@ "$OUT/${target}_seed_corpus.zip")
  if [ -f "fuzz/oss-fuzz/$family.dict" ]; then
    cp "fuzz/oss-fuzz/$family.dict" "$OUT/$target.dict"
  fi
done
