import { type StackOptions, TestStack, type TestTenant } from './stack.js';

/** The product, and an account in it. */
export interface Account {
  stack: TestStack;
  tenant: TestTenant;
}

export interface AccountOptions extends StackOptions {
  /** Of the account: its name and settings. */
  account?: Parameters<TestStack['createTenant']>;
}

/** Prepares an account. What it returns is called once the account is done with. */
type SetUp = (account: Account) => Promise<void> | Promise<() => Promise<unknown>>;

/** The product for all tests of a `describe`, and an account of its own for each of them. */
export function withAccounts(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
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

/** The product and one account for all tests of a `describe`. */
export function withOneAccount(setUp: SetUp, { account = [], ...options }: AccountOptions = {}): void {
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
