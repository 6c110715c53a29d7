/**
 * Builds SQL for a lateral join with the alias `card`: the rate card that prices a customer's work
 * order on `day`. The customer's own card takes precedence over the account's default card. Only
 * the version in force on `day` counts. If neither card has such a version, the columns of `card`
 * are null.
 * @param tenant SQL expression for the tenant's id
 * @param rateCard SQL expression for the id of any version of the customer's card, or for null
 * @param day SQL expression for the date in the tenant's time zone
 */
export function joinCardInForce(tenant: string, rateCard: string, day: string): string {
  return `
    left join lateral (
      select k.* from rate_cards named_card
      join rate_cards k on k.tenant_id = named_card.tenant_id and lower(k.name) = lower(named_card.name) and k.effective_from <= ${day}
      where named_card.tenant_id = ${tenant} and named_card.id = ${rateCard}
      order by k.version desc limit 1
    ) own_card on true
    left join lateral (
      select k.* from rate_cards k
      where k.tenant_id = ${tenant} and k.is_default and k.effective_from <= ${day} and own_card.id is null
        and not exists (select from rate_cards n where n.tenant_id = k.tenant_id and lower(n.name) = lower(k.name)
                          and n.version = k.version + 1 and n.effective_from <= ${day})
      order by k.effective_from desc, k.id desc limit 1
    ) default_card on true
    cross join lateral (
      select coalesce(own_card.id, default_card.id) as id, coalesce(own_card.name, default_card.name) as name,
        coalesce(own_card.effective_from, default_card.effective_from) as effective_from,
        coalesce(own_card.items, default_card.items) as items,
        coalesce(own_card.after_hours_start, default_card.after_hours_start) as after_hours_start,
        coalesce(own_card.after_hours_end, default_card.after_hours_end) as after_hours_end,
        coalesce(own_card.after_hours_weekends, default_card.after_hours_weekends) as after_hours_weekends
    ) card`;
}

/**
 * Builds SQL that is true if `local`, a timestamp in local time, is after hours. The query must
 * contain {@link joinCardInForce}, whose alias `card` has the after-hours window. If the window's
 * start equals its end, every hour is after hours.
 */
export function isAfterHours(local: string): string {
  return `(case when card.after_hours_weekends and extract(isodow from ${local}) > 5 then true
    when card.after_hours_start < card.after_hours_end
      then ${local}::time >= card.after_hours_start and ${local}::time < card.after_hours_end
    else ${local}::time >= card.after_hours_start or ${local}::time < card.after_hours_end end)`;
}
