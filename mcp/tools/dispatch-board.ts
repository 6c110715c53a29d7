import Joi from 'joi';
import { agentDispatchBoard } from '../../shared/resources/dispatch-board/schema.js';
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
    'Shows what is going on right now: jobs under way with their trucks, trucks with driver, status and place, and jobs that still need a truck, the most urgent first.',
  scope: 'read_dispatch',
  entityType: 'dispatch_board',
  action: 'dispatch_board.read',
  input: Joi.object({}),
  output: agentDispatchBoard,
  entityId: () => null,
  read: ({ boards }, { key }) => boards.read(key.tenantId),
  summary: ({ counts }) => {
    const { active_jobs, unassigned_work_orders, trucks, trucks_available } = counts as Counts;
    return `${active_jobs} jobs under way, ${unassigned_work_orders} without a truck, ${trucks_available} of ${trucks} trucks available.`;
  },
});
