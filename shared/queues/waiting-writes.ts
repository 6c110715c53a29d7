const MIB = 1024 * 1024;

interface Load {
  writes: number;
  /** Of their requests' bodies. */
  bytes: number;
}

/** Past it a write would only time out. */
const MAX_LOAD: Load = { writes: 20_000, bytes: 256 * MIB };

/** Of one tenant, so that others find room. */
const MAX_LOAD_PER_TENANT: Load = { writes: 5000, bytes: 32 * MIB };

/** The writes of one process that wait for their outcome, all together and by tenant. */
export class WaitingWrites {
  private readonly all: Load = { writes: 0, bytes: 0 };
  private readonly byTenant = new Map<string, Load>();

  /**
   * Takes a place for a write; undefined when there is none, for all or for this tenant.
   * @param bytes size of its request's body
   * @returns gives the place back
   */
  enter(tenantId: string, bytes: number): (() => void) | undefined {
    const own = this.byTenant.get(tenantId) ?? { writes: 0, bytes: 0 };
    if (!hasRoom(this.all, MAX_LOAD, bytes) || !hasRoom(own, MAX_LOAD_PER_TENANT, bytes)) return undefined;
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

function hasRoom(load: Load, max: Load, bytes: number): boolean {
  return load.writes < max.writes && load.bytes + bytes <= max.bytes;
}

function add(load: Load, writes: number, bytes: number): void {
  load.writes += writes;
  load.bytes += bytes;
}
