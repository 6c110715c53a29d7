import { useCallback } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Problem } from '../../../api/problem';
import { queryClient } from '../../../api/query-client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useWrite, type WriteHeaders } from '../../../api/use-write';
import { humanize } from '../../../parts/record/status-badge';
import { announce, changeCard, followMove } from './card-store';

/** The actions that a card runs without a dialog. */
export type BoardAction =
  | { name: 'assign'; truckId: string; truckName: string }
  | { name: 'start' }
  | { name: 'step'; step: Schemas['DriverStep'] };

interface Intention {
  id: string;
  /** The shown version. If a newer version exists, the API refuses the write. */
  updated_at: string;
  action: BoardAction;
}

function send(headers: WriteHeaders, { action, ...workOrder }: Intention) {
  const params = { path: { id: workOrder.id }, header: { ...headers, ...ifMatch(workOrder) } };
  switch (action.name) {
    case 'assign':
      return client.POST('/work-orders/{id}/assign', { params, body: { truck_id: action.truckId } });
    case 'start':
      return client.POST('/work-orders/{id}/start', { params, body: {} });
    case 'step':
      return client.POST('/work-orders/{id}/steps', { params, body: { step: action.step } });
  }
}

/**
 * Stores the problem with its card. Another work order may have taken the truck, so reads the board
 * again.
 */
function keepProblem(problem: Problem, { id }: Intention): void {
  changeCard(id, { problem });
  if (problem.status === 409) void queryClient.invalidateQueries();
}

const OPTIONS = { onProblem: keepProblem };

type ShownWorkOrder = Pick<WorkOrder, 'id' | 'job_number' | 'updated_at'>;
export type Act = (workOrder: ShownWorkOrder, action: BoardAction) => Promise<boolean>;

/** Returns a function that runs an action. It resolves with true once the action is stored. */
export function useBoardActions(): Act {
  const { run } = useWrite(send, OPTIONS);
  return useCallback(
    async ({ id, updated_at, job_number }, action) => {
      changeCard(id, { isRunning: true, problem: undefined });
      if (action.name !== 'step') followMove(id);
      const stored = await run({ id, updated_at, action });
      if (!stored) followMove(undefined);
      changeCard(id, { isRunning: undefined, ...(stored ? { truckId: undefined } : {}) });
      announce(
        stored ? describeDone(job_number, action) : `${job_number} was not changed. Its card says why.`,
      );
      return stored !== undefined;
    },
    [run],
  );
}

function describeDone(number: string, action: BoardAction): string {
  if (action.name === 'assign') return `${number} assigned to ${action.truckName}`;
  if (action.name === 'step') return `${number}: ${humanize(action.step)}`;
  return `${number} started`;
}
