import { v5, v7 } from 'uuid';
import { sha256 } from '../../../shared/platform/crypto.js';

/** Namespace of all demo ids. If it changed, every database with a demo would get a second demo. */
const NAMESPACE = '6d0c2a52-5d1e-5f0b-9b53-0a7c1e3f4d21';

/**
 * Returns a UUID that is the same in every installation (RFC 9562, version 5).
 * @param path such as `hudson/live/invoice/7`
 */
export function deriveDemoId(path: string): string {
  return v5(path, NAMESPACE);
}

/**
 * Returns a UUIDv7, which begins with the time, because audit entries sort by their ids. The same
 * path and time give the same id.
 */
export function deriveTimedDemoId(path: string, at: string): string {
  return v7({ msecs: Date.parse(at), random: sha256(path).subarray(0, 16) });
}

/** A seeded random generator, so that the demo is the same in every installation. */
export class DemoRandom {
  #state: number;

  /** @param seed any text */
  constructor(seed: string) {
    this.#state = sha256(seed).readUInt32BE(0);
  }

  /**
   * Returns a number from 0 (included) to 1 (excluded), by Tommy Ettinger's public-domain generator
   * mulberry32.
   */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a number from `min` (included) to `max` (excluded). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  /** Returns true with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {RangeError} if `choices` is empty */
  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('choices must not be empty');
    return choices[this.integer(0, choices.length - 1)] as T;
  }
}
