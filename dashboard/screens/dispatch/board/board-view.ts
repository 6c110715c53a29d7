import { createContext, useContext } from 'react';
import type { Schemas, WorkOrder } from '../../../api/records';
import type { Act } from '../writes/work-order-actions';
import type { BoardTruck } from './board-truck';

export type Suggestion = Schemas['Suggestion'];

/** The data that all cards share. It changes only when the fleet or the person's rights change. */
export interface BoardView {
  act: Act;
  trucks: ReadonlyMap<string, BoardTruck>;
  freeTrucks: readonly BoardTruck[];
  /**
   * The free trucks that the cards offer for assignment. During one render, this list may be older
   * than `freeTrucks`.
   */
  choices: readonly BoardTruck[];
  /** Opens the drawer of a work order. */
  open: (id: string) => void;
  /** The drawer's address, for opening it in a new tab. */
  hrefOf: (id: string) => string;
  /** True if the person may assign, unassign and cancel. */
  canDispatch: boolean;
  /** True if the person may start work orders, log steps and complete work orders. */
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
