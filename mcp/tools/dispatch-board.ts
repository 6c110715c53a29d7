import Joi from 'joi';
import { agentDispatchBoard } from '../../shared/resources/dispatch-board/schema.js';
import { readBoard } from '../resources/read-board.js';
import { describeBoard } from './describe-board.js';
import { defineReadTool } from './tool.js';

interface Counts {
  active_jobs: number;
  unassigned_work_orders: number;
  trucks: number;
  trucks_available: number;
}

export const getDispatchBoardTool = defineReadTool<object>({
  name: 'get_dispatch_board',
  title: 'Look at the dispatch board',
  description:
    'Shows what is going on right now. unassigned_work_orders: jobs that still need a truck, with waiting_s. active_jobs: jobs under way, with truck_id, driver_id, step, elapsed_s and proposed_step: the next step by the position of the truck, which a person confirms. Both have the most urgent first. trucks: each with driver, status and place. counts are of everything. A very busy board is shortened: `omitted` then says how many are not shown, and list_work_orders with a status pages through all of them.',
  scope: 'read_dispatch',
  entityType: 'dispatch_board',
  action: 'dispatch_board.read',
  input: Joi.object({}),
  output: agentDispatchBoard,
  getEntityId: () => null,
  read: readBoard,
  describeRecord: describeBoard,
  summarize: ({ counts, omitted }) => {
    const { active_jobs, unassigned_work_orders, trucks, trucks_available } = counts as Counts;
    const truncationHint = omitted
      ? ' Only the most urgent are shown; list_work_orders with a status has all of them.'
      : '';
    return `${active_jobs} jobs under way, ${unassigned_work_orders} without a truck, ${trucks_available} of ${trucks} trucks available.${truncationHint}`;
  },
});
