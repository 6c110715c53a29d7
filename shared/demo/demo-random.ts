import { v5, v7 } from 'uuid';
import { sha256 } from '../platform/crypto.js';

/** Namespace of everything the demo makes; a new one would make a second demo beside the first in every database. */
const NAMESPACE = '6d0c2a52-5d1e-5f0b-9b53-0a7c1e3f4d21';

/** The id of a demo record: the same in every installation (RFC 9562, version 5). @param path such as `hudson/live/invoice/7` */
export function demoId(path: string): string {
  return v5(path, NAMESPACE);
}

/** A UUIDv7 of a given time that is the same for the same path and time: audit entries sort by their ids. */
export function demoTimedId(path: string, at: string): string {
  return v7({ msecs: Date.parse(at), random: sha256(path).subarray(0, 16) });
}

/** Draws that are the same in every run: what varies in the demo must not vary between two installations. */
export class DemoRandom {
  #state: number;

  /** @param seed any text */
  constructor(seed: string) {
    this.#state = sha256(seed).readUInt32BE(0);
  }

  /** A number from 0 up to, not including, 1 (mulberry32, Tommy Ettinger's public-domain generator). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A number from `min` up to, not including, `max`. */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {RangeError} when there is nothing to pick from */
  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('nothing to pick from');
    return choices[this.integer(0, choices.length - 1)] as T;
  }
}
