/**
 * Compiles the nodes of a schema graph to rules.
 *
 * Contract: one rule a node, made once, so that a recursive schema is a cycle of rules. Every application of a node is charged before
 * it does anything.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#name-applicators
 */
import { assertionRules } from "./assertions.ts";
import { alternatives, attempt, unevaluated } from "./combining.ts";
import { stepsOf } from "./expense.ts";
import { issueMessage } from "./issue-message.ts";
import type { Patterns } from "./pattern.ts";
import { fail, failAbove, pointerFrom, type At, type Rule, type Run, type Seen } from "./rule.ts";
import { assertion, subNodesOf, type SchemaGraph, type SchemaNode, type SubNodes } from "./schema-graph.ts";
import { isPlainObject, pointerTo } from "./walk.ts";

export class RuleCompiler {
  readonly #graph: SchemaGraph;
  readonly #patterns: Patterns;
  readonly #rules = new Map<SchemaNode, Rule>();

  constructor(graph: SchemaGraph, patterns: Patterns) {
    this.#graph = graph;
    this.#patterns = patterns;
  }

  /** The rule of the whole schema, with every sub-schema compiled, so that whatever is to be refused is refused now. */
  compileAll(): Rule {
    for (const node of this.#graph.nodes) this.ruleFor(node);
    return this.ruleFor(this.#graph.root);
  }

  ruleFor(node: SchemaNode): Rule {
    const known = this.#rules.get(node);
    if (known !== undefined) return known;
    const steps = stepsOf(node, this.#graph);
    const parts: Rule[] = [];
    const rule: Rule = (value, run, at, seen) => {
      run.expense.spend(steps);
      for (const part of parts) if (!part(value, run, at, seen)) return false;
      return true;
    };
    // Known before it is complete: references below may lead back here.
    this.#rules.set(node, rule);
    if (node.schema === false) parts.push((_value, run, at) => fail(run, at, issueMessage("false")));
    else if (node.schema !== true) this.#fill(node, parts);
    return rule;
  }

  #fill(node: SchemaNode, parts: Rule[]): void {
    const { dialect } = this.#graph;
    const get = (keyword: string): unknown => assertion(node, keyword, dialect);
    const pattern = get("pattern");
    const sub = subNodesOf(node, dialect);
    parts.push(
      ...assertionRules(
        get,
        typeof pattern === "string" ? this.#patterns.get(pattern, `${pointerTo(node)}/pattern`) : undefined,
      ),
      ...node.references.map((target) => this.#referenceTo(target)),
      ...this.#combinators(sub),
      ...this.#objects(sub),
      ...this.#arrays(sub, get),
    );
    const rest = ["unevaluatedProperties", "unevaluatedItems"].flatMap((keyword) =>
      this.#rest(sub.one(keyword), keyword),
    );
    if (rest.length > 0) parts.splice(0, parts.length, unevaluated([...parts], rest));
  }

  /** Looked up when it is first followed: a chain of thousands of references is no reason to recurse here. */
  #referenceTo(target: SchemaNode): Rule {
    let rule: Rule | undefined;
    return (value, run, at, seen) => (rule ??= this.ruleFor(target))(value, run, at, seen);
  }

  #optional(node: SchemaNode | undefined): Rule | undefined {
    return node === undefined ? undefined : this.ruleFor(node);
  }

  #combinators(sub: SubNodes): Rule[] {
    const all = (keyword: string): Rule[] => sub.many(keyword).map(([, node]) => this.ruleFor(node));
    const parts: Rule[] = [];
    const not = this.#optional(sub.one("not"));
    if (not !== undefined) {
      parts.push((value, run, at) => !attempt(not, value, run, at, undefined) || fail(run, at, issueMessage("not")));
    }
    const [any, one] = [all("anyOf"), all("oneOf")];
    if (any.length > 0) parts.push(alternatives(any, "anyOf", (matches) => matches > 0));
    parts.push(...all("allOf"));
    if (one.length > 0) parts.push(alternatives(one, "oneOf", (matches) => matches === 1));
    const condition = this.#optional(sub.one("if"));
    const [then, otherwise] = [this.#optional(sub.one("then")), this.#optional(sub.one("else"))];
    if (condition !== undefined) {
      parts.push((value, run, at, seen) => {
        const branch = attempt(condition, value, run, at, seen) ? then : otherwise;
        const mark = run.findings.length;
        return branch === undefined || branch(value, run, at, seen) || failAbove(run, mark, at, issueMessage("if"));
      });
    }
    for (const [name, node] of sub.many("dependentSchemas")) {
      const rule = this.ruleFor(node);
      parts.push(
        (value, run, at, seen) => !isPlainObject(value) || !Object.hasOwn(value, name) || rule(value, run, at, seen),
      );
    }
    return parts;
  }

  #objects(sub: SubNodes): Rule[] {
    const named = sub.many("properties").map(([name, node]) => [name, this.ruleFor(node)] as const);
    const patterned = sub.many("patternProperties").map(([source, node]) => {
      return [this.#patterns.get(source, pointerTo(node)), this.ruleFor(node)] as const;
    });
    const rest = this.#member(sub.one("additionalProperties"), "additionalProperties");
    const names = this.#optional(sub.one("propertyNames"));
    const known = new Set(named.map(([name]) => name));
    const parts: Rule[] = [];
    if (names !== undefined) {
      parts.push((value, run, at) => {
        if (!isPlainObject(value)) return true;
        const mark = run.findings.length;
        const wrong = run.expense.namesOf(value).find((name) => !names(name, run, at, undefined));
        return wrong === undefined || failAbove(run, mark, at, issueMessage("propertyNames", wrong));
      });
    }
    if (named.length > 0) {
      parts.push((value, run, at, seen) => {
        if (!isPlainObject(value)) return true;
        for (const [name, rule] of named) {
          if (!Object.hasOwn(value, name)) continue;
          if (!rule(value[name], run, { above: at, key: name }, undefined)) return false;
          seen?.add(name);
        }
        return true;
      });
    }
    if (patterned.length === 0 && rest === undefined) return parts;
    parts.push((value, run, at, seen) => {
      if (!isPlainObject(value)) return true;
      for (const name of run.expense.namesOf(value)) {
        const place: At = { above: at, key: name };
        let matched = known.has(name);
        for (const [pattern, rule] of patterned) {
          if (!pattern.test(name, run.expense, () => pointerFrom(at))) continue;
          matched = true;
          if (!rule(value[name], run, place, undefined)) return false;
        }
        if (!matched && rest !== undefined && !rest(value[name], run, place, undefined)) return false;
        if (matched || rest !== undefined) seen?.add(name);
      }
      return true;
    });
    return parts;
  }

  #arrays(sub: SubNodes, get: (keyword: string) => unknown): Rule[] {
    const prefix = sub.many("prefixItems").map(([, node]) => this.ruleFor(node));
    const items = this.#member(sub.one("items"), "additionalItems");
    const contains = this.#optional(sub.one("contains"));
    const parts: Rule[] = [];
    if (prefix.length > 0 || items !== undefined) {
      parts.push((value, run, at, seen) => {
        if (!Array.isArray(value)) return true;
        for (const [index, item] of value.entries()) {
          const rule = prefix[index] ?? items;
          if (rule === undefined) break;
          if (!rule(item, run, { above: at, key: index }, undefined)) return false;
          seen?.add(index);
        }
        return true;
      });
    }
    if (contains === undefined) return parts;
    const [min, max] = [Number(get("minContains") ?? 1), Number(get("maxContains") ?? Infinity)];
    parts.push((value, run, at, seen) => {
      if (!Array.isArray(value)) return true;
      let count = 0;
      for (const [index, item] of value.entries()) {
        if (!attempt(contains, item, run, at, undefined)) continue;
        seen?.add(index);
        count++;
      }
      return (count >= min && count <= max) || fail(run, at, issueMessage("contains"));
    });
    return parts;
  }

  /** A rule for members that nothing else names. For `false` the issue names the member and lies at its owner. */
  #member(node: SchemaNode | undefined, keyword: string): Rule | undefined {
    if (node?.schema !== false) return this.#optional(node);
    return (_value, run, at) => fail(run, at?.above, issueMessage(keyword, at?.key));
  }

  #rest(node: SchemaNode | undefined, keyword: string): Rule[] {
    const rule = this.#member(node, keyword);
    if (rule === undefined) return [];
    const apply = (value: unknown, run: Run, place: At, seen: Seen): boolean => {
      if (seen.has(place.key)) return true;
      if (!rule(value, run, place, undefined)) return false;
      seen.add(place.key);
      return true;
    };
    if (keyword === "unevaluatedItems") {
      return [
        (value, run, at, seen = new Set()) =>
          !Array.isArray(value) || value.every((item, index) => apply(item, run, { above: at, key: index }, seen)),
      ];
    }
    return [
      (value, run, at, seen = new Set()) =>
        !isPlainObject(value) ||
        run.expense.namesOf(value).every((name) => apply(value[name], run, { above: at, key: name }, seen)),
    ];
  }
}
