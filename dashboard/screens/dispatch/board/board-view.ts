import { createContext, useContext } from 'react';
import type { Schemas, WorkOrder } from '../../../api/records';
import type { Act } from '../writes/work-order-actions';
import type { BoardTruck } from './board-truck';

export type Suggestion = Schemas['Suggestion'];

/** What all cards share. It changes only when the fleet or the person's rights change. */
export interface BoardView {
  act: Act;
  trucks: ReadonlyMap<string, BoardTruck>;
  freeTrucks: readonly BoardTruck[];
  /** Opens the drawer of a work order. */
  open: (id: string) => void;
  /** The address of the drawer, for new tabs. */
  hrefOf: (id: string) => string;
  /** May assign, unassign and cancel. */
  canDispatch: boolean;
  /** May start, log steps and complete. */
  canWrite: boolean;
}

export const BoardContext = createContext<BoardView | undefined>(undefined);

export function useBoard(): BoardView {
  const board = useContext(BoardContext);
  if (!board) throw new Error('a card stands outside the board');
  return board;
}

export type ColumnName = 'Unassigned' | 'Dispatched' | 'In progress' | 'Completed today';

/** Returns the column of a work order; undefined if the work order is cancelled. */
export function columnOf({ status }: Pick<WorkOrder, 'status'>): ColumnName | undefined {
  const columns = {
    pending: 'Unassigned',
    dispatched: 'Dispatched',
    in_progress: 'In progress',
    completed: 'Completed today',
    cancelled: undefined,
  } as const;
  return columns[status];
}
