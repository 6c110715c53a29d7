const MIB = 1024 * 1024;

interface Load {
  writes: number;
  /** Total size of the request bodies. */
  bytes: number;
}

/** The limit for the process. A write beyond this limit would only wait until it times out. */
const MAX_LOAD: Load = { writes: 20_000, bytes: 256 * MIB };

const MAX_LOAD_PER_TENANT: Load = { writes: 5000, bytes: 32 * MIB };

/**
 * Limits how many writes of this process wait for their outcome, and the size of their request
 * bodies, in total and per tenant.
 */
export class WaitingWrites {
  private readonly all: Load = { writes: 0, bytes: 0 };
  private readonly byTenant = new Map<string, Load>();

  /**
   * Reserves capacity for a write. Returns a function that releases the capacity, or undefined if a
   * limit is reached.
   * @param bytes size of the request body
   */
  reserve(tenantId: string, bytes: number): (() => void) | undefined {
    const own = this.byTenant.get(tenantId) ?? { writes: 0, bytes: 0 };
    if (!hasCapacity(this.all, MAX_LOAD, bytes) || !hasCapacity(own, MAX_LOAD_PER_TENANT, bytes))
      return undefined;
    this.byTenant.set(tenantId, own);
    add(this.all, 1, bytes);
    add(own, 1, bytes);
    return () => {
      add(this.all, -1, -bytes);
      add(own, -1, -bytes);
      if (own.writes === 0) this.byTenant.delete(tenantId);
    };
  }
}

function hasCapacity(load: Load, max: Load, bytes: number): boolean {
  return load.writes < max.writes && load.bytes + bytes <= max.bytes;
}

function add(load: Load, writes: number, bytes: number): void {
  load.writes += writes;
  load.bytes += bytes;
}
