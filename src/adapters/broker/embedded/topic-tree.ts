/**
 * Values filed under topics or topic filters, level by level. It answers both questions of a
 * broker: which filters match this topic, and which topics match this filter, each in time
 * proportional to what is found and not to what is stored.
 */

interface TreeNode<V> {
  children: Map<string, TreeNode<V>> | undefined
  values: Set<V> | undefined
}

function newNode<V>(): TreeNode<V> {
  return { children: undefined, values: undefined }
}

const isEmpty = <V>(node: TreeNode<V>): boolean =>
  node.children === undefined && node.values === undefined

/** A leading wildcard never matches a first level that begins with `$` (MQTT 5.0, 4.7.2). */
const hidden = (depth: number, level: string | undefined): boolean =>
  depth === 0 && level?.startsWith('$') === true

export class TopicTree<V> {
  #root: TreeNode<V> = newNode()

  add(path: string, value: V): void {
    let node = this.#root
    for (const level of path.split('/')) {
      node.children ??= new Map()
      let child = node.children.get(level)
      if (child === undefined) {
        child = newNode()
        node.children.set(level, child)
      }
      node = child
    }
    node.values ??= new Set()
    node.values.add(value)
  }

  remove(path: string, value: V): void {
    const levels = path.split('/')
    const passed: TreeNode<V>[] = [this.#root]
    for (const level of levels) {
      const child = passed.at(-1)?.children?.get(level)
      if (child === undefined) return
      passed.push(child)
    }
    const last = passed.at(-1)
    if (last?.values?.delete(value) !== true) return
    if (last.values.size === 0) last.values = undefined
    this.#prune(levels, passed)
  }

  #prune(levels: readonly string[], passed: readonly TreeNode<V>[]): void {
    for (let depth = levels.length; depth > 0; depth -= 1) {
      const node = passed[depth]
      const parent = passed[depth - 1]
      const level = levels[depth - 1]
      if (node === undefined || parent?.children === undefined || level === undefined) return
      if (!isEmpty(node)) return
      parent.children.delete(level)
      if (parent.children.size === 0) parent.children = undefined
    }
  }

  /** The values of every filter that matches this topic. */
  matchingTopic(topic: string): V[] {
    const found: V[] = []
    this.#collect(this.#root, topic.split('/'), 0, found)
    return found
  }

  #collect(node: TreeNode<V>, levels: readonly string[], depth: number, found: V[]): void {
    const { children } = node
    const level = levels[depth]
    if (children !== undefined && !hidden(depth, level)) {
      for (const value of children.get('#')?.values ?? []) found.push(value)
    }
    if (level === undefined) {
      for (const value of node.values ?? []) found.push(value)
      return
    }
    if (children === undefined) return
    const exact = children.get(level)
    if (exact !== undefined) this.#collect(exact, levels, depth + 1, found)
    const any = children.get('+')
    if (any !== undefined && !hidden(depth, level)) this.#collect(any, levels, depth + 1, found)
  }

  /** The values of every topic that matches this filter, found one at a time. */
  matchingFilter(filter: string): Generator<V> {
    return this.#walk(this.#root, filter.split('/'), 0)
  }

  *#walk(node: TreeNode<V>, levels: readonly string[], depth: number): Generator<V> {
    const level = levels[depth]
    if (level === undefined || level === '#') yield* node.values ?? []
    if (level === undefined || node.children === undefined) return
    if (level !== '#' && level !== '+') {
      const child = node.children.get(level)
      if (child !== undefined) yield* this.#walk(child, levels, depth + 1)
      return
    }
    for (const [name, child] of node.children) {
      if (hidden(depth, name)) continue
      yield* level === '#' ? this.#subtree(child) : this.#walk(child, levels, depth + 1)
    }
  }

  *#subtree(node: TreeNode<V>): Generator<V> {
    yield* node.values ?? []
    for (const child of node.children?.values() ?? []) yield* this.#subtree(child)
  }
}
