#!/usr/bin/env bash
# Takes one work order from the call to the payment, with curl, while `npm start` runs.
# Arguments: the demo file, and a number that makes the truck's and invoices' numbers unique.
set -euo pipefail
demo=${1:-.data/demo.json}
nth=${2:-$(date +%s)}
api=$(node -p "JSON.parse(require('fs').readFileSync('$demo')).api_url")
key=$(node -p "JSON.parse(require('fs').readFileSync('$demo')).tenants[0].api_key")

call() { # method path [body]
  curl -sS --fail-with-body -X "$1" "$api$2" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' ${3:+-d "$3"}
}
wait_for() { # event type, id in it; the clock causes these events within a minute
  for _ in $(seq 90); do
    if call GET "/events?type=$1&limit=50" | grep -q "$2"; then return; fi
    sleep 1
  done
  echo "no $1 of $2 within 90 seconds" >&2
  return 1
}
member() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }

customer=$(call POST /customers '{"company_name":"Hudson Auto Club","company_type":"motor_club","billing_email":"billing@example.com"}' | member .id)
driver=$(call POST /drivers '{"name":"Dan Driver","phone":"+1 212 555 0100"}' | member .id)
truck=$(call POST /trucks "{\"unit_number\":\"C-$nth\",\"duty_class\":\"light\",\"driver_id\":\"$driver\"}" | member .id)

work_order=$(call POST /work-orders "{\"service_type\":\"light_duty_tow\",\"customer_id\":\"$customer\",\"pickup_location\":\"I-87 N at exit 4\"}" | member .id)
call POST "/work-orders/$work_order/assign" "{\"truck_id\":\"$truck\"}" >/dev/null
for step in en_route on_scene hooked towing; do call POST "/work-orders/$work_order/steps" "{\"step\":\"$step\"}" >/dev/null; done
call POST "/work-orders/$work_order/start" >/dev/null
call POST "/work-orders/$work_order/complete" '{"miles":7.5}' >/dev/null

bill() { # number, due date or null
  call POST /invoices "{\"invoice_number\":\"$1\",\"customer_id\":\"$customer\",\"work_order_id\":\"$work_order\",\"due_date\":$2,\"line_items\":[
    {\"name\":\"Light-duty tow\",\"category\":\"tow\",\"quantity\":1,\"unit_type\":\"each\",\"unit_price_cents\":12500,\"total_cents\":12500,\"taxable\":true},
    {\"name\":\"Mileage\",\"category\":\"mileage\",\"quantity\":7.5,\"unit_type\":\"mile\",\"unit_price_cents\":450,\"total_cents\":3375}]}" | member .id
}
invoice=$(bill "CALL-$nth" null)
call POST "/invoices/$invoice/approve" >/dev/null
call POST "/invoices/$invoice/send" '{"channel":"email"}' >/dev/null
total=$(call GET "/invoices/$invoice" | member .total_cents)
call POST "/invoices/$invoice/payments" '{"amount_cents":5000,"method":"cash"}' >/dev/null
call POST "/invoices/$invoice/payments" "{\"amount_cents\":$((total - 5000)),\"method\":\"check\",\"reference\":\"1042\"}" >/dev/null

# Bills the same work order a second time. The clock suggests that the draft is a duplicate. Once the
# draft is sent all the same, the clock finds it overdue.
second=$(bill "CALL-$nth-2" '"2026-01-31T12:00:00Z"')
wait_for ai.suggestion.created "$second"
call POST "/invoices/$second/approve" >/dev/null
call POST "/invoices/$second/send" >/dev/null
wait_for invoice.overdue "$second"
call POST "/invoices/$second/void" '{"reason":"Billed twice"}' >/dev/null

echo "work order $(call GET "/work-orders/$work_order" | member '.billing_status'), invoice $(call GET "/invoices/$invoice" | member '.status'), customer owes $(call GET "/customers/$customer" | member '.balance_cents') cents"
echo "$work_order $invoice $second"
