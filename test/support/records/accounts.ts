import { type StackOptions, TestStack, type TestTenant } from '../stack.js';

/** The product and one account in it. */
export interface TestAccount {
  stack: TestStack;
  tenant: TestTenant;
}

export interface AccountOptions extends StackOptions {
  /** Name and settings of the account. */
  account?: Parameters<TestStack['createTenant']>;
}

/** Prepares an account. The function that it returns runs when the account is no longer needed. */
type SetUp = (account: TestAccount) => Promise<void> | Promise<() => Promise<unknown>>;

/** Starts the product for all tests of a `describe`, and creates an account for each test. */
export function useAccountPerTest(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
  let stack: TestStack;
  let cleanUp: Awaited<ReturnType<SetUp>>;

  before(async () => {
    stack = await TestStack.start(options);
  });
  beforeEach(async () => {
    cleanUp = undefined;
    cleanUp = await setUp({ stack, tenant: await stack.createTenant(...account) });
  });
  afterEach(() => cleanUp?.());
  after(() => stack.stop());
}

/** Starts the product with one account for all tests of a `describe`. */
export function useSharedAccount(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
  let stack: TestStack;
  let cleanUp: Awaited<ReturnType<SetUp>>;

  before(async () => {
    stack = await TestStack.start(options);
    cleanUp = await setUp({ stack, tenant: await stack.createTenant(...account) });
  });
  after(async () => {
    await cleanUp?.();
    await stack.stop();
  });
}
