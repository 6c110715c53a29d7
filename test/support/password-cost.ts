import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Callback = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;

/** With this scrypt cost, a hash takes 2 ms and 1 MiB, instead of half a second and 128 MiB. */
const CHEAP = 2 ** 10;

/** Makes password hashes cheap in this process. The root hooks call this function. */
export function makePasswordsCheap(cost = CHEAP): void {
  const cheap = (password: string, salt: Buffer, length: number, _cost: object, done: Callback) =>
    scrypt(password, salt, length, { N: cost }, done);
  replaceScrypt(cheap as typeof scrypt);
}

/** Sets the product's own cost of password hashes for the tests of a `describe`. */
export function useRealPasswords(): void {
  before(() => replaceScrypt(scrypt));
  after(() => makePasswordsCheap());
}

/**
 * Sets the cost of password hashes in the tests of a `describe`.
 * @param cost scrypt's N, a power of two
 */
export function usePasswordCost(cost: number): void {
  before(() => makePasswordsCheap(cost));
  after(() => makePasswordsCheap());
}

function replaceScrypt(chosen: typeof scrypt): void {
  crypto.scrypt = chosen;
  syncBuiltinESMExports();
}
