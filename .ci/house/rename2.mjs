// Usage: node rename2.mjs renames.tsv…   (run in the tree root)
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const cfg = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, root)
const program = ts.createProgram(cfg.fileNames, { ...cfg.options, noEmit: true })
const checker = program.getTypeChecker()
const byDecl = new Map() // declaration node -> new name
const done = []
function declsOf(symbol) { return symbol?.declarations ?? [] }
const resolve = (s) => (s && s.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(s) : s)
const rows = process.argv.slice(2).flatMap((f) => fs.readFileSync(f, 'utf8').split('\n')).map((l) => l.split('\t')).filter((r) => r[0] === 'symbol' || r[0] === 'member')
const exportedNames = new Map()
for (const [kind, file, old, neu] of rows) {
  const name = neu?.trim()
  if (!name || !/^[A-Za-z_$][\w$]*$/.test(name)) { console.log('bad row', kind, file, old, neu); continue }
  const src = program.getSourceFile(path.join(root, file))
  if (!src) { console.log('no file', file, old); continue }
  const mod = checker.getSymbolAtLocation(src)
  const exported = mod ? checker.getExportsOfModule(mod) : []
  let found = []
  if (kind === 'symbol') {
    let s = exported.find((e) => e.name === old)
    if (s) found = declsOf(resolve(s))
    else { for (const st of src.locals?.values() ?? []) if (st.name === old) found = declsOf(st) }
  } else {
    const parts = old.split('.')
    const member = parts.pop(), owner = parts.join('.')
    const visit = (n) => {
      if ((ts.isInterfaceDeclaration(n) || ts.isClassDeclaration(n) || ts.isTypeAliasDeclaration(n) || ts.isEnumDeclaration(n) || ts.isVariableDeclaration(n) || ts.isFunctionDeclaration(n)) && n.name?.getText() === owner) {
        const look = (m) => { if ((ts.isPropertySignature(m) || ts.isMethodSignature(m) || ts.isPropertyDeclaration(m) || ts.isMethodDeclaration(m) || ts.isGetAccessor(m) || ts.isSetAccessor(m) || ts.isPropertyAssignment(m) || ts.isShorthandPropertyAssignment(m) || ts.isParameter(m)) && m.name?.getText() === member) found.push(m); if (!ts.isBlock(m)) m.forEachChild(look) }
        n.forEachChild(look)
      }
      n.forEachChild(visit)
    }
    visit(src)
  }
  if (!found.length) { console.log('not found', kind, file, old); continue }
  for (const d of found) byDecl.set(d, { old: old.split('.').pop(), name })
  done.push([old, name])
}
const target = (symbol, text) => { for (const d of declsOf(resolve(symbol))) { const r = byDecl.get(d); if (r && r.old === text) return r.name } }
const propOf = (type, text) => { if (!type) return; const t = checker.getNonNullableType(type); let s = t.getProperty?.(text); if (!s && t.isUnion?.()) for (const u of t.types) { s = u.getProperty(text); if (s) break } return s && target(s, text) }
// Members of classes follow the interfaces and classes that they implement or extend.
for (let changed = true; changed; ) {
  changed = false
  for (const src of program.getSourceFiles()) {
    if (src.fileName.includes('node_modules') || !src.fileName.startsWith(root)) continue
    const visit = (n) => {
      if (ts.isClassLike(n) && n.heritageClauses) for (const h of n.heritageClauses.flatMap((c) => c.types)) {
        const base = checker.getTypeAtLocation(h)
        for (const m of n.members) if (m.name && ts.isIdentifier(m.name) && !byDecl.has(m)) { const r = propOf(base, m.name.text); if (r) { byDecl.set(m, { old: m.name.text, name: r }); changed = true } }
      }
      n.forEachChild(visit)
    }
    visit(src)
  }
}
let edits = 0, filesN = 0
for (const src of program.getSourceFiles()) {
  if (src.fileName.includes('node_modules') || !src.fileName.startsWith(root)) continue
  const out = []
  const put = (node, text) => out.push([node.getStart(src), node.getEnd(), text])
  const walk = (n) => {
    if (ts.isIdentifier(n)) {
      const text = n.text, p = n.parent
      if (ts.isShorthandPropertyAssignment(p) && p.name === n) {
        const value = target(checker.getShorthandAssignmentValueSymbol(p), text)
        let prop = propOf(checker.getContextualType(p.parent), text)
        const own = byDecl.get(p); if (own) prop = own.name
        if (value || prop) put(n, (prop ?? text) === (value ?? text) ? (value ?? text) : `${prop ?? text}: ${value ?? text}`)
      } else if (ts.isBindingElement(p) && p.name === n && !p.propertyName && ts.isObjectBindingPattern(p.parent) && !p.dotDotDotToken) {
        const prop = propOf(checker.getTypeAtLocation(p.parent), text)
        const local = byDecl.get(p)?.name
        if (prop || local) put(n, (prop ?? text) === (local ?? text) ? prop : `${prop ?? text}: ${local ?? text}`)
      } else if (ts.isBindingElement(p) && p.propertyName === n) {
        const prop = propOf(checker.getTypeAtLocation(p.parent), text)
        if (prop) put(n, prop)
      } else if ((ts.isPropertyAssignment(p) || ts.isMethodDeclaration(p)) && p.name === n && ts.isObjectLiteralExpression(p.parent)) {
        const prop = byDecl.get(p)?.name ?? propOf(checker.getContextualType(p.parent), text)
        if (prop) put(n, prop)
      } else if (ts.isImportSpecifier(p) || ts.isExportSpecifier(p)) {
        if (p.propertyName === n) { const s = target(checker.getSymbolAtLocation(n) ?? checker.getSymbolAtLocation(p.name), text); if (s) put(n, s) }
        else if (!p.propertyName) {
          const s = ts.isExportSpecifier(p) ? target(checker.getExportSpecifierLocalTargetSymbol(p) ?? checker.getSymbolAtLocation(n), text) : target(checker.getSymbolAtLocation(n), text)
          if (s) put(n, s)
        }
      } else {
        const s = checker.getSymbolAtLocation(n)
        const r = s && target(s, text)
        if (r) put(n, r)
      }
    } else if (ts.isStringLiteral(n) && ts.isLiteralTypeNode(n.parent) && n.parent.parent && (ts.isTypeReferenceNode(n.parent.parent) || ts.isUnionTypeNode(n.parent.parent) || ts.isIndexedAccessTypeNode(n.parent.parent))) {
      // Pick<X, 'a'>, X['a']
      let owner
      let q = n.parent.parent
      if (ts.isUnionTypeNode(q)) q = q.parent
      if (ts.isTypeReferenceNode(q) && q.typeArguments?.length === 2 && ['Pick', 'Omit'].includes(q.typeName.getText(src))) owner = checker.getTypeFromTypeNode(q.typeArguments[0])
      if (ts.isIndexedAccessTypeNode(q)) owner = checker.getTypeFromTypeNode(q.objectType)
      const prop = owner && propOf(owner, n.text)
      if (prop) put(n, `'${prop}'`)
    }
    n.forEachChild(walk)
  }
  walk(src)
  if (!out.length) continue
  let text = src.text
  const seen = new Set()
  for (const [a, b, t] of out.sort((x, y) => y[0] - x[0])) { if (seen.has(a)) continue; seen.add(a); text = text.slice(0, a) + t + text.slice(b); edits++ }
  fs.writeFileSync(src.fileName, text); filesN++
}
fs.writeFileSync('/work/house/renamed.json', JSON.stringify(done))
console.log(`${done.length} names, ${edits} places in ${filesN} files`)
