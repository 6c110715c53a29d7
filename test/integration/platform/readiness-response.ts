export interface Readiness {
  status: number;
  body: { ok: boolean; degraded: boolean; checks: Record<string, { ok: boolean; error?: string }> };
}

export const READY = { ok: true, degraded: false };
export const DEGRADED = { ok: true, degraded: true };

export async function readReadiness({ origin }: { origin: string }): Promise<Readiness> {
  const response = await fetch(`${origin}/readyz`);
  return { status: response.status, body: (await response.json()) as Readiness['body'] };
}
