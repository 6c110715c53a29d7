import Joi from 'joi';
import { defineCommand } from '../../../contracts/command.js';

/** From what a figure of driven miles comes. */
export const DRIVEN_SOURCES = ['positions', 'odometer'] as const;
export type DrivenSource = (typeof DRIVEN_SOURCES)[number];

/** What the positions and odometers say. The members are the columns `driven_*` of a work order. */
export interface DrivenMiles {
  miles: number | null;
  coverage: number;
  /** Null without a figure. An older clock sends none. */
  source: DrivenSource | null;
  loaded_miles: number | null;
  loaded_coverage: number | null;
  loaded_source: DrivenSource | null;
}

export interface DrivenMilesEntry {
  /** The time at which the measurement was due, with microseconds. Names the completion. */
  due_at: string;
  /** Null if no position was found. */
  driven: DrivenMiles | null;
}

/** Only the clock submits this command. */
export const storeDrivenMiles = defineCommand<DrivenMilesEntry>({
  type: 'work_order.store_driven_miles',
  action: 'work_order.drive_measured',
  schema: Joi.object<DrivenMilesEntry>(),
  permission: 'admin',
});
