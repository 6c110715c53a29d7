import { type StackOptions, TestStack, type TestTenant } from './stack.js';

// Options of stacks that several files share. test/run/group-by-stack.ts groups files by the names
// that end with _STACK, so that one process runs all files with the same name.

/** Wrong credentials that {@link PROXIED_STACK} allows per network and minute. */
export const MAX_BAD_CREDENTIALS = 30;

/**
 * A stack that trusts the header X-Forwarded-For. A test whose requests count towards a limit of
 * their network must use addresses that no other test uses.
 */
export const PROXIED_STACK = {
  environment: { TRUST_PROXY: 'true', BAD_CREDENTIALS_PER_MINUTE: `${MAX_BAD_CREDENTIALS}` },
  clock: true,
};

export const LOW_TIERS = {
  starter: { minute: 3, hour: 1000 },
  standard: { minute: 5, hour: 1000 },
  // In this tier, requests reach the limit of the hour before the limit of the minute.
  premium: { minute: 1000, hour: 8 },
};

/** The limits of one person. They are higher than those of a key in the tier `standard`. */
export const LOW_PEOPLE_LIMITS = { minute: 6, hour: 1000 };

/** Wrong credentials that {@link LIMITED_STACK} allows per network and minute. */
export const LOW_BAD_CREDENTIALS = 4;

/** A stack that trusts the header X-Forwarded-For and soon refuses requests with 429. */
export const LIMITED_STACK = {
  environment: {
    TRUST_PROXY: 'true',
    RATE_LIMIT_TIERS: JSON.stringify(LOW_TIERS),
    RATE_LIMIT_PEOPLE: JSON.stringify(LOW_PEOPLE_LIMITS),
    BAD_CREDENTIALS_PER_MINUTE: `${LOW_BAD_CREDENTIALS}`,
  },
};

/** A stack with a separate https address, and further hosts for agents. */
export const HTTPS_STACK = {
  environment: { BASE_URL: 'https://tow.example.com', MCP_HOSTS: 'agents.example.com,other.example.com' },
};

interface Shared {
  /** Whether the object keeps running until the end of the test run. */
  isLasting: boolean;
  start: () => Promise<unknown>;
  handle: object;
  isRunning: () => boolean;
  stop: () => Promise<unknown>;
}

/**
 * How many shared objects may keep running between two test files of a batch, in addition to those
 * that run until the end. An idle stack with a clock takes 5 % of a core, and each stack has about
 * 15 connections.
 */
const MAX_RUNNING = 3;

const getKey = (options: StackOptions, group: string) =>
  JSON.stringify([group, Object.entries(options).sort()]);

/** The group of the stacks that files share if they name no other group. */
const PLAIN_GROUP = 'plain';

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
export function useStack(options: StackOptions = {}, group = PLAIN_GROUP): TestStack {
  return useShared(
    getKey(options, group),
    () => TestStack.start(options),
    (stack) => stack.stop(),
    { isLasting: Object.keys(options).length === 0 && group === PLAIN_GROUP },
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
 * @param isLasting if true, the object runs until the end of the test run, because files of many
 *   batches share it; default: {@link stopLongUnused} or {@link stopAfterBatch} stops it
 */
export function useShared<T extends object>(
  key: string,
  start: () => Promise<T>,
  stop: (running: T) => Promise<unknown>,
  { isLasting = false } = {},
): T {
  const known = shared.get(key) ?? { isLasting, ...createShared(start, stop) };
  shared.set(key, known);
  before(async () => {
    shared.delete(key);
    shared.set(key, known);
    await known.start();
  });
  return known.handle as T;
}

/**
 * Stops all shared objects but the lasting ones and the {@link MAX_RUNNING} most recently used. The
 * test run calls this function between two files of a batch.
 */
export async function stopLongUnused(): Promise<void> {
  for (const one of listStoppable().slice(0, -MAX_RUNNING)) await one.stop();
}

/**
 * Stops all shared objects but the lasting ones. The test run calls this function between two
 * batches, because they share nothing else.
 */
export async function stopAfterBatch(): Promise<void> {
  for (const one of listStoppable().reverse()) await one.stop();
}

/** Lists the running objects that do not last, the most recently used last. */
const listStoppable = () => [...shared.values()].filter((one) => !one.isLasting && one.isRunning());

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
export function createHandle<T extends object>(
  find: () => T | undefined,
  refused: (string | symbol)[] = [],
): T {
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
