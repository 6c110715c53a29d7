import { checkSchedule } from '../../shared/resources/export-schedules/check-schedule.js';
import {
  createExportSchedule,
  deleteExportSchedule,
  updateExportSchedule,
} from '../../shared/resources/export-schedules/commands.js';
import { listExportSchedules } from '../../shared/resources/export-schedules/queries.js';
import { exportScheduleListQuery } from '../../shared/resources/export-schedules/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const admin = { permission: 'admin', agentScope: null } as const;

export const exportScheduleRoutes = defineRoutes('Exports', (router, api) => {
  /**
   * @openapi
   * /export-schedules:
   *   get:
   *     operationId: listExportSchedules
   *     summary: List export schedules
   *     description: Newest first.
   *   post:
   *     operationId: createExportSchedule
   *     summary: Create an export schedule
   *     description: >-
   *       Creates an export at each scheduled time, in the account's time zone. GET
   *       /exports?schedule_id= lists these exports, and the event export.completed reports each,
   *       as for any other export. After missed runs one export catches up; its period begins with
   *       that of the first missed run. While the account has ten unfinished exports a run is
   *       skipped, and a notice says so. An account may have 20 schedules; another returns 409.
   */
  router.get(
    '/export-schedules',
    serveList(api, { access: admin, schema: exportScheduleListQuery, buildQuery: listExportSchedules }),
  );
  router.post('/export-schedules', serveWrite(api, createExportSchedule, { prepareInput: checkSchedule }));

  /**
   * @openapi
   * /export-schedules/{id}:
   *   get:
   *     operationId: getExportSchedule
   *     summary: Get one export schedule
   *   patch:
   *     operationId: updateExportSchedule
   *     summary: Change an export schedule
   *     description: >-
   *       JSON merge: an absent member is kept; filters and include are replaced as a whole. A new
   *       time applies from now on; a run that is already due starts immediately. A schedule that
   *       is enabled again does not catch up on runs it missed while disabled.
   *   delete:
   *     operationId: deleteExportSchedule
   *     summary: Delete an export schedule
   *     description: Exports that it created are kept.
   */
  router.get('/export-schedules/:id', serveRecord(api, 'export_schedule'));
  router.patch('/export-schedules/:id', serveWrite(api, updateExportSchedule));
  router.delete('/export-schedules/:id', serveWrite(api, deleteExportSchedule));
});
