/**
 * The style sheet of the tracking page. It supports a width of 320 pixels, and light and dark mode.
 */
export const TRACKING_STYLE = `:root{color-scheme:light dark;--back:#f4f4f4;--sheet:#fff;--text:#222;--soft:#555;--rule:#ddd;--mark:#1a4f8b;--good:#1d6b34;--warn:#fff3cd;--warnText:#3d3000}
@media (prefers-color-scheme:dark){:root{--back:#15171a;--sheet:#1f2226;--text:#eee;--soft:#b4b8bd;--rule:#41464d;--mark:#8fc1ff;--good:#86d59b;--warn:#4a3c00;--warnText:#fff3cd}}
body{margin:0;padding:16px;font-family:system-ui,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;color:var(--text);background:var(--back)}
main{max-width:480px;margin:0 auto;padding:24px;background:var(--sheet);border:1px solid var(--rule);overflow-wrap:anywhere}
@media (max-width:520px){body{padding:0}main{padding:16px;border:0}}
p{margin:0 0 8px}
a{color:var(--mark)}
h1{margin:16px 0 4px;font-size:1.25em}
[hidden]{display:none!important}
.logo{display:block;max-width:100%;height:auto;margin:0 0 12px;background:#fff}
.sender{margin:0;font-weight:bold}
.call a{display:inline-block;padding:8px 0}
.test,.lost{padding:8px;background:var(--warn);color:var(--warnText);font-weight:bold}
.headline{font-size:1.35em;font-weight:bold;line-height:1.3}
.eta{margin:0;font-size:1.15em}
.truck{display:inline-block;padding:2px 10px;border:2px solid var(--mark);border-radius:99px;font-weight:bold}
main[data-state=on_scene] .truck,main[data-state=done] .truck{border-color:var(--good)}
.soft{color:var(--soft)}
ol{list-style:none;margin:16px 0;padding:0}
li{display:flex;justify-content:space-between;gap:12px;padding:8px 0 8px 12px;border-left:4px solid var(--rule);color:var(--soft)}
li[data-mark=passed]{border-color:var(--good);color:var(--text)}
li[data-mark=current]{border-color:var(--mark);color:var(--text);font-weight:bold}
li[data-mark=left_out]{display:none}
svg{display:block;margin:8px auto;max-width:100%;height:auto}
.ring{fill:none;stroke:var(--rule)}
.north,.you{fill:var(--soft)}
.north{font-size:12px;text-anchor:middle}
.way{stroke:var(--mark);stroke-width:2;stroke-dasharray:3 4}
.wheels{fill:var(--mark)}
@media (prefers-reduced-motion:no-preference){li[data-mark=current]{animation:wait 2.4s ease-in-out infinite}}
@keyframes wait{50%{border-color:var(--rule)}}`;
