import { EventEmitter } from 'node:events';
import type { Cluster, Redis } from 'ioredis';

export type BusListener = (event: string) => void;

/**
 * Sends broadcasts between processes, for example replies of the queue. Delivery is not guaranteed.
 */
export interface Bus {
  publish(channel: string, event: string): Promise<void>;
  /**
   * Resolves when the subscription is active. The listener receives only broadcasts that are
   * published after that.
   */
  subscribe(channel: string, listener: BusListener): Promise<void>;
}

export function createLocalBus(): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: async (channel, event) => {
      // Emit later, so that `publish` does not reject if a listener throws.
      setImmediate(() => emitter.emit(channel, event));
    },
    subscribe: async (channel, listener) => {
      emitter.on(channel, listener);
    },
  };
}

/** Creates a bus over Redis. ioredis subscribes again by itself after each reconnect. */
export function createRedisBus(publisher: Redis | Cluster, subscriber: Redis | Cluster): Bus {
  const emitter = new EventEmitter().setMaxListeners(0);
  subscriber.on('message', (channel: string, event: string) => emitter.emit(channel, event));
  return {
    publish: async (channel, event) => {
      await publisher.publish(channel, event);
    },
    subscribe: async (channel, listener) => {
      emitter.on(channel, listener);
      await subscriber.subscribe(channel);
    },
  };
}
