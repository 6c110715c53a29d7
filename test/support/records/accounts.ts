import type { StackOptions, TestStack, TestTenant } from '../stack.js';
import { useStack } from '../use-stack.js';

export interface TestAccount {
  stack: TestStack;
  tenant: TestTenant;
}

export interface AccountOptions extends StackOptions {
  account?: Parameters<TestStack['createTenant']>;
}

/**
 * Prepares an account for the tests that use it. May return a function that cleans up after these
 * tests.
 */
type SetUp = (account: TestAccount) => Promise<void> | Promise<() => Promise<unknown>>;

/**
 * Creates an account before each test of a `describe` and passes it to `setUp`. The account's stack
 * is shared with other files.
 */
export function useAccountPerTest(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
  const stack = useStack(options);
  let cleanUp: Awaited<ReturnType<SetUp>>;

  beforeEach(async () => {
    cleanUp = undefined;
    cleanUp = await setUp({ stack, tenant: await stack.createTenant(...account) });
  });
  afterEach(() => cleanUp?.());
}

/**
 * Creates one account for all tests of a `describe` and passes it to `setUp`. The account's stack
 * is shared with other files.
 */
export function useSharedAccount(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
  const stack = useStack(options);
  let cleanUp: Awaited<ReturnType<SetUp>>;

  before(async () => {
    cleanUp = await setUp({ stack, tenant: await stack.createTenant(...account) });
  });
  after(() => cleanUp?.());
}
