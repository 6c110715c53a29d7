import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';

export type BusListener = (message: string) => void;

/** Fire-and-forget messages between processes: replies to an API process, broadcasts such as a revoked key. Lossy by design. */
export interface Bus {
  publish(channel: string, message: string): Promise<void>;
  /** Resolves once messages published from now on will arrive. */
  subscribe(channel: string, listener: BusListener): Promise<void>;
}

/** The bus of the all-in-one process. */
export function createLocalBus(): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: async (channel, message) => {
      // Not in the publisher's own stack: a listener that throws must not fail the commit that it hears of.
      setImmediate(() => emitter.emit(channel, message));
    },
    subscribe: async (channel, listener) => {
      emitter.on(channel, listener);
    },
  };
}

/** The bus between processes: Redis publish and subscribe; ioredis subscribes again after each reconnect. */
export function createRedisBus(publisher: Redis, subscriber: Redis): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  subscriber.on('message', (channel: string, message: string) => emitter.emit(channel, message));
  return {
    publish: async (channel, message) => {
      await publisher.publish(channel, message);
    },
    subscribe: async (channel, listener) => {
      emitter.on(channel, listener);
      await subscriber.subscribe(channel);
    },
  };
}
