import { type StackOptions, TestStack, type TestTenant } from './stack.js';

interface Shared {
  start: () => Promise<unknown>;
  handle: object;
  isRunning: () => boolean;
  stop: () => Promise<unknown>;
}

/**
 * At most this many shared objects keep running between two test files. An idle stack with a clock
 * takes 5 % of a core, and each stack has about 15 connections.
 */
const MAX_RUNNING = 4;

/**
 * The objects that the files of this process share, by key. The last entry is the one whose use
 * began most recently.
 */
const shared = new Map<string, Shared>();

/**
 * Returns the running product for all tests of a `describe`. Files with equal options share one
 * stack, so its database contains accounts of other files. A test must therefore create its own
 * accounts, count nothing over all accounts, and leave the schema and the runtime unchanged. A test
 * that cannot do so uses {@link useOwnStack}.
 * @param group files with different groups share no stack
 */
export function useStack(options: StackOptions = {}, group = 'plain'): TestStack {
  const key = JSON.stringify([group, Object.entries(options).sort()]);
  return useShared(
    key,
    () => TestStack.start(options),
    (stack) => stack.stop(),
  );
}

/**
 * Returns a running product for all tests of a `describe`, with stores that no other test sees or
 * changes.
 */
export function useOwnStack(options: StackOptions | (() => Promise<StackOptions>) = {}): TestStack {
  let stack: TestStack | undefined;
  before(async () => {
    stack = await TestStack.start(typeof options === 'function' ? await options() : options);
  });
  after(() => stack?.stop());
  return createHandle(() => stack);
}

/**
 * Creates an account before the tests of a `describe`, and returns it.
 * @param account the account's name and settings
 */
export function useTenant(stack: TestStack, ...account: Parameters<TestStack['createTenant']>): TestTenant {
  let tenant: TestTenant | undefined;
  before(async () => {
    tenant = await stack.createTenant(...account);
  });
  return createHandle(() => tenant);
}

/**
 * Returns an object that several files share. The object is started when the first file needs it.
 * It is stopped by {@link stopLongUnused} or at the end of the test run.
 */
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

/**
 * Stops all shared objects but the {@link MAX_RUNNING} most recently used. The test run calls this
 * function between two files.
 */
export async function stopLongUnused(): Promise<void> {
  const running = [...shared.values()].filter((one) => one.isRunning());
  for (const one of running.slice(0, -MAX_RUNNING)) await one.stop();
}

/** Stops all objects that {@link useShared} started, the most recently used first. */
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

/**
 * Returns a stand-in for an object that does not exist yet while the body of `describe` runs. Hooks
 * and tests can use the stand-in like the object.
 * @param refused members that no test may use
 */
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
