import { expect } from 'chai';
import type { VendorDouble } from '../contracts/vendor-double.js';

/**
 * Lets a double refuse the calls of an account with 429 and these Retry-After headers, one after
 * another. After that, the double behaves.
 */
export class RefusalStorm {
  private readonly first: number;
  private refused = 0;

  constructor(
    private readonly double: VendorDouble,
    private readonly authorization: string,
    private readonly seconds: readonly number[],
  ) {
    this.first = double.arrivals.length;
    double.misbehave = () => {
      // The double has just recorded the call that asks.
      if (double.arrivals.at(-1)?.authorization !== authorization) return undefined;
      const wait = seconds[this.refused];
      if (wait === undefined) return undefined;
      this.refused += 1;
      return { kind: 'limit', seconds: wait };
    };
  }

  /** Expects that all refusals were used, and that no call came before a refusal allowed it. */
  expectObeyed(): void {
    expect(this.refused, 'refused calls').to.equal(this.seconds.length);
    const calls = this.double.arrivals
      .slice(this.first)
      .filter(({ authorization }) => authorization === this.authorization);
    let retryAt = 0;
    const early: string[] = [];
    for (const call of calls) {
      if (call.at < retryAt) early.push(`${call.name} came ${retryAt - call.at} ms before Retry-After`);
      retryAt = Math.max(retryAt, call.retryAt ?? 0);
    }
    expect(early).to.deep.equal([]);
  }
}
