// Puts beside the built program what reads the text in pictures where the system has no tesseract: 6 MB of two packages that
// take 58 MB, so that neither of them has to be installed with the program. Plain JavaScript: it is part of the build.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** Name beside the program -> where it comes from. Every processor that Node 20 is made for has the instructions of `simd`. */
const PARTS = {
  "tesseract-core.cjs": require.resolve("tesseract.js-core/tesseract-core-simd-lstm.js"),
  "tesseract-core.wasm": require.resolve("tesseract.js-core/tesseract-core-simd-lstm.wasm"),
  "eng.traineddata.gz": require.resolve("@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz"),
  // Of tesseract and of its data.
  LICENSE: require.resolve("tesseract.js-core/LICENSE"),
};

/** @param {string} folder of the built program */
export function copyRecognizer(folder) {
  const target = join(folder, "extractors", "recognizer");
  mkdirSync(target, { recursive: true });
  for (const [name, from] of Object.entries(PARTS)) copyFileSync(from, join(target, name));
}
