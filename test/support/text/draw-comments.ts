/**
 * Prints randomly drawn comments from the TypeScript files, for a reader who did not write them:
 * `npx tsx test/support/text/draw-comments.ts [seed] [count]`.
 * The same seed draws the same comments from the same sources.
 */
import { listFiles, readComments } from './source-text.js';

const [seed = Date.now() % 1_000_000, count = 50] = process.argv.slice(2).map(Number);

/** Returns a generator of uniform numbers in [0, 1), by the algorithm mulberry32. */
function createRandom(state: number): () => number {
  let current = state;
  return () => {
    current = (current + 0x6d2b79f5) | 0;
    let mixed = Math.imul(current ^ (current >>> 15), 1 | current);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = createRandom(seed);
const comments = listFiles(/\.ts$/)
  .filter((file) => !file.endsWith('generated.ts'))
  .flatMap((file) => readComments(file))
  .filter(({ text }) => !text.startsWith('@openapi') && !text.startsWith('biome-ignore'));

console.log(`seed ${seed}: ${count} of ${comments.length} comments`);
for (let nth = 1; nth <= count; nth += 1) {
  const [comment] = comments.splice(Math.floor(random() * comments.length), 1);
  if (comment) console.log(`\n${nth}. ${comment.file}:${comment.line}\n   ${comment.text}`);
}
