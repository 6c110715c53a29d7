import { setFlagsFromString } from 'node:v8';

/** V8's own value: a full young generation becomes twice as large. */
const DEFAULT_GROWTH_FACTOR = 2;

/**
 * Loads and starts a process while V8's young generation keeps its initial size of 1 MB. Otherwise
 * V8 would enlarge the young generation to 33 MB while Node loads the modules, and an idle process
 * would keep that size. After the start, V8 may enlarge it, because a busy process then needs fewer
 * garbage collections. The file that Node runs must import nothing else, because Node loads imports
 * before it runs the file.
 * @param load imports the module that starts the process
 */
export async function startWithSmallYoungGeneration(load: () => Promise<unknown>): Promise<void> {
  setGrowthFactor(1);
  await load();
  setGrowthFactor(DEFAULT_GROWTH_FACTOR);
}

function setGrowthFactor(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
