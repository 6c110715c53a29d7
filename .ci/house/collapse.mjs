// Renames locals that a member rename left behind: `{ newName: oldName }` becomes `{ newName }`. Usage: node collapse.mjs all.tsv
import fs from 'node:fs'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const pairs = new Set(process.argv.slice(2).flatMap((f) => fs.readFileSync(f, 'utf8').split('\n')).map((l) => l.trim().split('\t')).filter((r) => r[0] === 'member' || r[0] === 'symbol').map(([, , o, n]) => `${o.split('.').pop()}>${n}`))
const cfg = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, root)
const program = ts.createProgram(cfg.fileNames, { ...cfg.options, noEmit: true })
const checker = program.getTypeChecker()
let n = 0
for (const src of program.getSourceFiles()) {
  if (src.fileName.includes('node_modules') || !src.fileName.startsWith(root)) continue
  const wanted = new Map() // symbol -> new name
  const collect = (node) => {
    if (ts.isBindingElement(node) && node.propertyName && ts.isIdentifier(node.propertyName) && ts.isIdentifier(node.name) && pairs.has(`${node.name.text}>${node.propertyName.text}`)) wanted.set(checker.getSymbolAtLocation(node.name), node.propertyName.text)
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && ts.isIdentifier(node.initializer) && pairs.has(`${node.initializer.text}>${node.name.text}`)) {
      const s = checker.getSymbolAtLocation(node.initializer)
      const d = s?.declarations?.[0]
      if (d && d.getSourceFile() === src && (ts.isVariableDeclaration(d) || ts.isParameter(d) || ts.isBindingElement(d) || (ts.isFunctionDeclaration(d) && !d.modifiers?.length)) && !(ts.isVariableDeclaration(d) && d.parent.parent.modifiers?.length)) wanted.set(s, node.name.text)
    }
    node.forEachChild(collect)
  }
  collect(src)
  if (!wanted.size) continue
  const out = []
  const uses = new Map([...wanted.keys()].map((s) => [s, []]))
  const free = new Map() // text -> nodes that are real references
  const walk = (node) => {
    if (ts.isIdentifier(node)) {
      const p = node.parent
      const isName = (ts.isPropertyAccessExpression(p) && p.name === node) || (ts.isPropertyAssignment(p) && p.name === node) || ((ts.isPropertySignature(p) || ts.isMethodSignature(p) || ts.isMethodDeclaration(p) || ts.isPropertyDeclaration(p) || ts.isTypeReferenceNode(p)) && (p.name === node || p.typeName === node)) || (ts.isBindingElement(p) && p.propertyName === node)
      if (!isName) {
        const s = ts.isShorthandPropertyAssignment(p) ? checker.getShorthandAssignmentValueSymbol(p) : checker.getSymbolAtLocation(node)
        if (uses.has(s)) uses.get(s).push(node)
        if (!free.has(node.text)) free.set(node.text, [])
        free.get(node.text).push([node, s])
      }
    }
    node.forEachChild(walk)
  }
  walk(src)
  const scopeOf = (d) => { let x = d.parent; while (x && !ts.isFunctionLike(x) && !ts.isSourceFile(x) && !ts.isBlock(x)) x = x.parent; if (x && ts.isBlock(x)) { let y = x; while (y && !ts.isFunctionLike(y) && !ts.isSourceFile(y)) y = y.parent; x = y } return x }
  for (const [s, name] of wanted) {
    const scope = scopeOf(s.declarations[0])
    const clash = (free.get(name) ?? []).some(([node, other]) => other !== s && node.pos >= scope.pos && node.end <= scope.end)
    if (clash) { console.log(`clash ${src.fileName.slice(root.length + 1)} ${s.name} -> ${name}`); continue }
    for (const u of uses.get(s)) {
      const p = u.parent
      if (ts.isShorthandPropertyAssignment(p)) out.push([p.getStart(src), p.getEnd(), `${u.text}: ${name}`])
      else if (ts.isBindingElement(p) && p.name === u) {
        const init = p.initializer ? ` = ${p.initializer.getText(src)}` : ''
        const prop = p.propertyName?.getText(src) ?? (ts.isObjectBindingPattern(p.parent) && !p.dotDotDotToken ? u.text : undefined)
        if (p.initializer) out.push([p.getStart(src), p.initializer.getStart(src), prop && prop !== name ? `${prop}: ${name} = ` : `${name} = `])
        else out.push([p.getStart(src), p.getEnd(), (p.dotDotDotToken ? '...' : '') + (prop && prop !== name ? `${prop}: ${name}` : name)])
      } else if (ts.isPropertyAssignment(p) && p.initializer === u) out.push([p.getStart(src), p.getEnd(), p.name.getText(src) === name ? name : `${p.name.getText(src)}: ${name}`])
      else out.push([u.getStart(src), u.getEnd(), name])
    }
    n++
  }
  let text = src.text; const seen = new Set()
  for (const [a, b, t] of out.sort((x, y) => y[0] - x[0])) { if (seen.has(a)) continue; seen.add(a); text = text.slice(0, a) + t + text.slice(b) }
  fs.writeFileSync(src.fileName, text)
}
console.log(`${n} locals`)
