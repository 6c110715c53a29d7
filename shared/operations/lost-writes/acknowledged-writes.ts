import type { Command } from '../../contracts/command.js';
import { formatUuid } from '../../platform/ids.js';

/** A write that a client knows to be stored. */
export interface AcknowledgedWrite {
  tenant_id: string;
  command_id: string;
  type: string;
  environment: Command['environment'];
  record_id: string;
  acknowledged_at: number;
}

interface Kind {
  type: string;
  environment: Command['environment'];
}

const MAX_WRITES = 50_000;
const WRITES_PER_LIST = 500;

const UUID_BYTES = 16;
/** Three UUIDs, the time and the kind. */
const SLOT_BYTES = 3 * UUID_BYTES + 8 + 2;

/**
 * The last 50,000 writes that this process has acknowledged. They have no age limit, because a
 * promotion may come hours after the old primary's last commit. They take 2.9 MB in one buffer,
 * which the system provides page by page. As objects they would take several times as much, and the
 * garbage collector would move them.
 */
export class AcknowledgedWrites {
  private readonly slots: Buffer;
  /** The types of commands; a slot has an index into this list. */
  private readonly kinds: Kind[] = [];
  private readonly kindIndexes = new Map<string, number>();
  private next = 0;

  constructor(private readonly maxWrites = MAX_WRITES) {
    this.slots = Buffer.alloc(maxWrites * SLOT_BYTES);
  }

  /** The number of the write that will be added next. Numbers increase by one. */
  get nextNumber(): number {
    return this.next;
  }

  get bytes(): number {
    return this.slots.length;
  }

  add(
    command: Pick<Command, 'id' | 'tenantId' | 'entityId' | 'type' | 'environment'>,
    now = Date.now(),
  ): void {
    const at = (this.next % this.maxWrites) * SLOT_BYTES;
    const { slots } = this;
    writeUuid(slots, at, command.tenantId);
    writeUuid(slots, at + UUID_BYTES, command.id);
    writeUuid(slots, at + 2 * UUID_BYTES, command.entityId);
    slots.writeDoubleLE(now, at + 3 * UUID_BYTES);
    slots.writeUInt16LE(this.findKind(command), at + 3 * UUID_BYTES + 8);
    this.next += 1;
  }

  /**
   * Yields the writes, oldest first, in lists of at most 500. All at once would block the event
   * loop for 0.2 s (measured).
   */
  *list({ from = 0, to = this.next } = {}): Generator<AcknowledgedWrite[]> {
    // Writes that are added meanwhile may overwrite the oldest ones.
    for (let start = Math.max(from, this.next - this.maxWrites); start < to; start += WRITES_PER_LIST) {
      const first = Math.max(start, this.next - this.maxWrites);
      const writes: AcknowledgedWrite[] = [];
      for (let number = first; number < Math.min(start + WRITES_PER_LIST, to); number += 1) {
        writes.push(this.read((number % this.maxWrites) * SLOT_BYTES));
      }
      if (writes.length > 0) yield writes;
    }
  }

  private read(at: number): AcknowledgedWrite {
    const { slots } = this;
    const kind = this.kinds[slots.readUInt16LE(at + 3 * UUID_BYTES + 8)] as Kind;
    return {
      tenant_id: formatUuid(slots.subarray(at)),
      command_id: formatUuid(slots.subarray(at + UUID_BYTES)),
      record_id: formatUuid(slots.subarray(at + 2 * UUID_BYTES)),
      acknowledged_at: slots.readDoubleLE(at + 3 * UUID_BYTES),
      ...kind,
    };
  }

  private findKind({ type, environment }: Kind): number {
    const name = `${environment} ${type}`;
    const known = this.kindIndexes.get(name);
    if (known !== undefined) return known;
    this.kindIndexes.set(name, this.kinds.length);
    return this.kinds.push({ type, environment }) - 1;
  }
}

function writeUuid(slots: Buffer, at: number, uuid: string): void {
  slots.write(uuid.replaceAll('-', ''), at, UUID_BYTES, 'hex');
}
