// Copies the text recogniser for systems without tesseract beside the built program: 6 MB from two packages of 58 MB,
// so that neither has to be installed with the program. Plain JavaScript: it is part of the build.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);

/** Name beside the program -> its source. Every processor that Node 20 is built for has the instructions that `simd` needs. */
const PARTS = {
  "tesseract-core.cjs": require.resolve("tesseract.js-core/tesseract-core-simd-lstm.js"),
  "tesseract-core.wasm": require.resolve("tesseract.js-core/tesseract-core-simd-lstm.wasm"),
  "eng.traineddata.gz": require.resolve("@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz"),
  // For tesseract and for its data.
  LICENSE: require.resolve("tesseract.js-core/LICENSE"),
};

/** @param {string} folder of the built program */
export function copyRecogniser(folder) {
  const target = join(folder, "extractors", "recogniser");
  mkdirSync(target, { recursive: true });
  for (const [name, from] of Object.entries(PARTS)) copyFileSync(from, join(target, name));
}
