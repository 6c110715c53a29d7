import { type StackOptions, TestStack, type TestTenant } from './stack.js';

interface Shared {
  start: () => Promise<unknown>;
  handle: object;
  isRunning: () => boolean;
  stop: () => Promise<unknown>;
}

/**
 * How many shared things a process keeps running. An idle stack with a clock takes 5 % of a core,
 * and each stack has some 15 connections. The test run starts files with equal options one after
 * the other, so few stacks start twice.
 */
const MAX_RUNNING = 4;

/** What the files of this process share. The one whose last use began most recently is the last. */
const shared = new Map<string, Shared>();

/**
 * The product for all tests of a `describe`. Files with equal options share one running stack, so
 * its database holds accounts of other files: a test creates its own accounts, counts nothing over
 * all of them, and leaves the schema and the runtime as they are. Otherwise use
 * {@link useOwnStack}. The first file that needs the stack starts it; the run stops it at its end.
 * @param group files of different groups share no stack
 */
export function useStack(options: StackOptions = {}, group = 'plain'): TestStack {
  const key = JSON.stringify([group, Object.entries(options).sort()]);
  return useShared(
    key,
    () => TestStack.start(options),
    (stack) => stack.stop(),
  );
}

/** The product for all tests of a `describe`, with stores that no other test sees or changes. */
export function useOwnStack(options: StackOptions | (() => Promise<StackOptions>) = {}): TestStack {
  let stack: TestStack | undefined;
  before(async () => {
    stack = await TestStack.start(typeof options === 'function' ? await options() : options);
  });
  after(() => stack?.stop());
  return createHandle(() => stack);
}

/** An account for all tests of a `describe`. @param account its name and settings */
export function useTenant(stack: TestStack, ...account: Parameters<TestStack['createTenant']>): TestTenant {
  let tenant: TestTenant | undefined;
  before(async () => {
    tenant = await stack.createTenant(...account);
  });
  return createHandle(() => tenant);
}

/** Something that several files use: the first starts it, the end of the run stops it. */
export function useShared<T extends object>(
  key: string,
  start: () => Promise<T>,
  stop: (running: T) => Promise<unknown>,
): T {
  const known = shared.get(key) ?? createShared(start, stop);
  shared.set(key, known);
  before(async () => {
    shared.delete(key);
    shared.set(key, known);
    await known.start();
  });
  return known.handle as T;
}

/** Stops the shared things that were unused for longest. The test run calls it between two files. */
export async function stopLongUnused(): Promise<void> {
  const running = [...shared.values()].filter((one) => one.isRunning());
  for (const one of running.slice(0, -MAX_RUNNING)) await one.stop();
}

/** Stops what {@link useShared} started, the last first. */
export async function stopShared(): Promise<void> {
  for (const { stop } of [...shared.values()].reverse()) await stop();
}

function createShared<T extends object>(start: () => Promise<T>, stop: (running: T) => Promise<unknown>) {
  let starting: Promise<T> | undefined;
  let running: T | undefined;
  return {
    start: async () => {
      starting ??= start();
      running = await starting;
    },
    handle: createHandle(() => running, ['stop']),
    isRunning: () => running !== undefined,
    stop: async () => {
      const stopped = running;
      starting = undefined;
      running = undefined;
      if (stopped) await stop(stopped);
    },
  };
}

/** Stands for an object that exists while hooks and tests run, but not while `describe` runs. */
function createHandle<T extends object>(find: () => T | undefined, refused: (string | symbol)[] = []): T {
  return new Proxy({} as T, {
    get: (_target, property) => {
      if (refused.includes(property))
        throw new Error(`other files share it: no test may call ${String(property)}`);
      const found = find();
      if (!found) throw new Error(`${String(property)} is read before the hooks have run`);
      const value: unknown = Reflect.get(found, property);
      return typeof value === 'function' ? value.bind(found) : value;
    },
    set: (_target, property, value) => Reflect.set(find() ?? {}, property, value),
  });
}
