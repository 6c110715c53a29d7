import { readFileSync } from 'node:fs';

/**
 * Finds the shared stacks of a test file. The code of such a file has one of these for each stack:
 * options of `useStack`, a constant with such options, or a function that shares a stack. The
 * pattern leaves out the stack without options, because every process starts it.
 */
const SHARED_STACKS =
  /\buseStack\(\{.*|\b[A-Z_]+_STACK\b|\buse(?:WebhookBench|(?!Own)[A-Z]\w*Stack|MailFixture|Dashboard(?=\(\)))(?=\()/g;

interface Batch {
  files: string[];
  stacks: string[];
}

/**
 * Splits test files into batches. One process runs all files of a batch, one after another. Files
 * that share a stack, directly or through other files, are one batch, so that no other process
 * starts the same stack. Every other file is a batch of its own.
 *
 * In each folder, the batches with shared stacks come last, and the largest of them at the end. The
 * process that takes batches from the end of the list therefore begins its longest batch early.
 * @param folders the files of each folder
 */
export function groupByStack(folders: string[][]): string[][] {
  const folderOf = new Map(folders.flatMap((files, nth) => files.map((file) => [file, nth] as const)));
  const placed = [...joinBatches([...folderOf.keys()])].map(({ files, stacks }) => ({
    files,
    folder: Math.max(...files.map((file) => folderOf.get(file) ?? 0)),
    size: stacks.length > 0 ? files.length : 0,
  }));
  return placed.sort((a, b) => a.folder - b.folder || a.size - b.size).map(({ files }) => files);
}

function joinBatches(files: string[]): Batch[] {
  let batches: Batch[] = [];
  for (const file of sortByStacks(files)) {
    const stacks = findSharedStacks(file);
    const related = batches.filter((batch) => batch.stacks.some((stack) => stacks.includes(stack)));
    const joined = {
      files: [...related.flatMap((batch) => batch.files), file],
      stacks: [...related.flatMap((batch) => batch.stacks), ...stacks],
    };
    batches = [...batches.filter((batch) => !related.includes(batch)), joined];
  }
  return batches;
}

/** Sorts files so that files with equal stacks are side by side. */
function sortByStacks(files: string[]): string[] {
  const keys = new Map(files.map((file) => [file, findSharedStacks(file).join('\n')]));
  const readKey = (file: string) => keys.get(file) ?? '';
  return files.sort((a, b) => readKey(a).localeCompare(readKey(b)) || a.localeCompare(b));
}

function findSharedStacks(file: string): string[] {
  return [...new Set(readFileSync(file, 'utf8').match(SHARED_STACKS))].sort();
}
