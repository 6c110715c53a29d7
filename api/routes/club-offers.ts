import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { readRecord } from '../../shared/records/render-records.js';
import {
  acceptClubOffer,
  confirmClubOffer,
  createClubOffer,
  refuseClubOffer,
  reportGone,
  withdrawClubOffer,
} from '../../shared/resources/club-offers/commands.js';
import { listClubOffers } from '../../shared/resources/club-offers/queries.js';
import { clubOfferListQuery } from '../../shared/resources/club-offers/schema.js';
import { clubOfferTable, OFFER_READ } from '../../shared/resources/club-offers/table.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Hides the offers of other clubs (404) before the write reads anything else, so that no error,
 * such as that of If-Match, shows them. The club of an offer never changes.
 */
function requireOwnOffer({ db }: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const { clubId, tenantId } = ctx.state.key;
    if (clubId !== undefined) {
      const id = String(ctx.params.id).toLowerCase();
      const body = isUuid(id) ? await readRecord(db, clubOfferTable, { tenant_id: tenantId, id }) : undefined;
      if (body === undefined || !isOfClub(body, clubId)) throw notFound(clubOfferTable.label as string);
    }
    await next();
  };
}

function isOfClub(body: string, clubId: string): boolean {
  return (JSON.parse(body) as { club_id: string }).club_id === clubId;
}

export const clubOfferRoutes = defineRoutes('Club offers', (router, api) => {
  const own = requireOwnOffer(api);

  /**
   * @openapi
   * /club-offers:
   *   get:
   *     operationId: listClubOffers
   *     summary: List offers of motor clubs
   *     description: Newest first. A club's key gets its own offers only.
   */
  router.get(
    '/club-offers',
    serveList(api, { access: OFFER_READ, schema: clubOfferListQuery, buildQuery: listClubOffers }),
  );

  /**
   * @openapi
   * /club-offers:
   *   post:
   *     operationId: createClubOffer
   *     summary: Offer a job
   *     description: >-
   *       For a motor club's key. The company accepts or refuses until respond_by; then the offer
   *       expires. 409 when the reference was offered before, or when 20 offers of the club or 100
   *       of the company wait.
   */
  router.post(
    '/club-offers',
    serveWrite(api, createClubOffer, {
      prepareInput: (input, { state: { key } }) => ({
        ...input,
        club_id: key.clubId as string,
        club: key.name,
      }),
    }),
  );

  /**
   * @openapi
   * /club-offers/{id}:
   *   get:
   *     operationId: getClubOffer
   *     summary: Get one offer
   *     description: A club's key gets 404 for an offer of another club.
   */
  router.get(
    '/club-offers/:id',
    serveRecord(api, 'club_offer', {
      isVisible: (body, { clubId }) => clubId === undefined || isOfClub(body, clubId),
    }),
  );

  /**
   * @openapi
   * /club-offers/{id}/accept:
   *   post:
   *     operationId: acceptClubOffer
   *     summary: Accept an offer
   *     description: >-
   *       Creates a work order, and dispatches it if a truck is named. 409 conflict after
   *       respond_by, also before the offer is shown as expired. Of two answers at the same time,
   *       the first counts.
   */
  router.post('/club-offers/:id/accept', serveWrite(api, acceptClubOffer));

  /**
   * @openapi
   * /club-offers/{id}/refuse:
   *   post:
   *     operationId: refuseClubOffer
   *     summary: Refuse an offer
   *     description: The club reads the reason and the note. 409 conflict after respond_by.
   */
  router.post('/club-offers/:id/refuse', serveWrite(api, refuseClubOffer));

  /**
   * @openapi
   * /club-offers/{id}/confirm:
   *   post:
   *     operationId: confirmClubOffer
   *     summary: Confirm an acceptance
   *     description: For the key of the club that made the offer.
   */
  router.post('/club-offers/:id/confirm', own, serveWrite(api, confirmClubOffer));

  /**
   * @openapi
   * /club-offers/{id}/withdraw:
   *   post:
   *     operationId: withdrawClubOffer
   *     summary: Take an offer back
   *     description: >-
   *       For the key of the club that made the offer, before or after the acceptance. Cancels the
   *       work order. 409 when the job is completed.
   */
  router.post('/club-offers/:id/withdraw', own, serveWrite(api, withdrawClubOffer));

  /**
   * @openapi
   * /club-offers/{id}/gone:
   *   post:
   *     operationId: reportClubOfferGone
   *     summary: Report that the motorist is gone
   *     description: >-
   *       For the key of the club that made the offer, after the acceptance. Withdraws the offer.
   *       The work order is cancelled as goa if its work has begun, and otherwise as cancelled by
   *       the club.
   */
  router.post('/club-offers/:id/gone', own, serveWrite(api, reportGone));
});
