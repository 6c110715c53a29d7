import Joi from 'joi';
import { allRequired, dateTime, integer, oneOrMore, uuid } from '../../contracts/schemas/fields.js';
import { driver } from '../drivers/schema.js';
import { truck } from '../trucks/schema.js';
import { driveMembers } from '../work-orders/fields.js';
import { agentWorkOrder, workOrder } from '../work-orders/schema.js';

const requiredDriveMembers = Object.fromEntries(
  Object.entries(driveMembers).map(([name, schema]) => [name, schema.required()]),
);

const seconds = () => integer(0, Number.MAX_SAFE_INTEGER).example(420);

export const activeJob = workOrder
  .keys({
    priority: Joi.number().integer().required().example(0),
    elapsed_s: seconds().required().description('Seconds since the dispatch'),
    ...requiredDriveMembers,
  })
  .meta({ className: 'ActiveJob' });

export const boardTruck = truck
  .keys({ driver: driver.allow(null).required() })
  .meta({ className: 'BoardTruck' });

export const unassignedJob = workOrder
  .keys({
    priority: Joi.number().integer().required().example(0),
    waiting_s: seconds().required().description('Seconds since the booking'),
  })
  .meta({ className: 'UnassignedJob' });

const agentBoardWorkOrder = (member: 'elapsed_s' | 'waiting_s') =>
  agentWorkOrder.keys({ priority: Joi.number().integer().required(), [member]: seconds().required() });

/** The current work orders and trucks (docs/decisions.md §9). */
const boardBase = allRequired({
  generated_at: dateTime(),
  active_jobs: Joi.array().items(activeJob),
  trucks: Joi.array().items(boardTruck),
  unassigned_work_orders: Joi.array().items(unassignedJob),
  counts: allRequired({
    active_jobs: Joi.number().integer().min(0).example(3),
    unassigned_work_orders: Joi.number().integer().min(0).example(1),
    trucks: Joi.number().integer().min(0).example(5),
    trucks_available: Joi.number().integer().min(0).example(2),
  }),
});

export const dispatchBoard = boardBase
  .keys({
    customers: Joi.array()
      .items(allRequired({ id: uuid(), company_name: Joi.string().example('Hudson Auto Club') }))
      .description('The customers of the work orders; only with expand=names'),
  })
  .meta({ className: 'DispatchBoard' });

export const dispatchBoardQuery = Joi.object({
  expand: oneOrMore(['names']).description('names adds customers'),
}).meta({ className: 'DispatchBoardQuery' });

const omittedCount = () => Joi.number().integer().min(0).required();

/** The source of the streets on the dispatch map. */
export const mapStyle = allRequired({
  style_url: Joi.string()
    .uri()
    .allow(null)
    .example('https://tiles.example.com/styles/streets.json')
    .description('Address of a MapLibre style; null: the operator has set none'),
}).meta({ className: 'MapStyle' });

/** The board for agents. A busy board is shortened to a size that a model can read. */
export const agentDispatchBoard = boardBase
  .keys({
    omitted: Joi.object({
      active_jobs: omittedCount(),
      trucks: omittedCount(),
      unassigned_work_orders: omittedCount(),
    }).description('How many of each are not shown; absent if all are shown'),
    active_jobs: Joi.array().items(agentBoardWorkOrder('elapsed_s').keys(requiredDriveMembers)).required(),
    unassigned_work_orders: Joi.array().items(agentBoardWorkOrder('waiting_s')).required(),
  })
  .meta({ className: 'AgentDispatchBoard' });
