import type { ClientBase, Pool } from 'pg';

/**
 * Compares each counter with the rows of the orders, in one snapshot. Returns one line for each counter that is not the sum of its rows,
 * and for each limit that the rows exceed. It shares no code with the service.
 */
export async function stockDifferences(db: Pool | ClientBase): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(`
    with line as (
      select o.app_category_id as channel, o.passkey_id, o.buyer_email, o.buyer_document, l.item_id, l.session_ids, l.unlocked, i.parent_id,
             case when o.status = 'approved' then l.quantity else 0 end as sold, case when o.status = 'held' then l.quantity else 0 end as held
        from ticket_order o join order_line l on l.event_id = o.event_id and l.order_id = o.id join item i on i.event_id = l.event_id and i.id = l.item_id
       where o.status in ('held', 'approved')),
    taken as (
      select item_id, substr(sha256(convert_to('email ' || lower(buyer_email), 'UTF8')), 1, 16) as buyer, sold + held as n from line
      union all
      select item_id, substr(sha256(convert_to('document ' || buyer_document, 'UTF8')), 1, 16), sold + held from line
       where buyer_document is not null),
    limits as (
      select 'item ' || id as name, quantity as bound, item.sold, item.held, r.sold as row_sold, r.held as row_held
        from item left join (select item_id as id, sum(sold) as sold, sum(held) as held from line group by 1) r using (id) where type <> 'group'
      union all
      select 'group ' || id, quantity, item.sold, item.held, r.sold, r.held
        from item left join (select parent_id as id, sum(sold) as sold, sum(held) as held from line group by 1) r using (id) where type = 'group'
      union all
      select 'session ' || id, capacity, s.sold, s.held, r.sold, r.held
        from event_session s
        left join (select id, sum(sold) as sold, sum(held) as held from line, unnest(session_ids) id group by 1) r using (id)
      union all
      select 'period ' || p.item_id || '/' || p.app_category_id, available, p.sold, p.held, r.sold, r.held
        from sale_period p left join (select item_id, channel, sum(sold) as sold, sum(held) as held from line group by 1, 2) r
          on r.item_id = p.item_id and r.channel = p.app_category_id
      union all
      select 'passkey ' || id, use_limit, p.used, p.held, r.sold, r.held
        from passkey p
        left join (select passkey_id as id, sum(sold) as sold, sum(held) as held from line where unlocked group by 1) r using (id)
      union all
      select 'buyer of ' || b.item_id, most, b.taken, 0, r.n, 0
        from item_buyer b left join (select item_id, buyer, sum(n) as n from taken group by 1, 2) r using (item_id, buyer))
    select format('%s: %s sold and %s held, by rows %s and %s, of %s', name, sold, held, coalesce(row_sold, 0), coalesce(row_held, 0), bound)
           as line
      from limits
     where sold <> coalesce(row_sold, 0) or held <> coalesce(row_held, 0) or coalesce(row_sold, 0) + coalesce(row_held, 0) > bound`);
  return rows.map(({ line }) => line);
}
