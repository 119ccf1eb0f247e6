"""The sentences of the scripted roles, in English and Chinese: written by one role, read again by another."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Binding(StrEnum):
    """Where the value of a parameter is, as a request says it."""

    GIVEN = "given"
    RESULT = "result"
    SAME = "same"
    FOUND = "found"
    FIRST = "first"


@dataclass(frozen=True)
class Wording:
    """The sentences of one language; `{words}` is a parameter in words, `{value}` its value.

    Attributes:
        bindings: How a request says where a value is.
        phase: Between what is done first and what waits for it.
        openings: Sentence forms for requests around `{purposes}`, from short to long.
        follow_ups: The same for later tasks.
        chats: Requests that need no tool, about `{theme}`.
        later_chats: The same, for later tasks.
        labels: What a text of each role begins with.
    """

    bindings: dict[Binding, str]
    phase: str
    both: str
    openings: tuple[str, ...]
    follow_ups: tuple[str, ...]
    chats: tuple[str, ...]
    later_chats: tuple[str, ...]
    labels: dict[str, str]
    question: str
    full_answers: tuple[str, ...]
    vague_answers: tuple[str, ...]
    summary: str
    nothing_found: str
    direct: str
    plan_serial: str
    plan_parallel: str
    plan_single: str
    plan_ask: str
    plan_answer: str
    thought: str
    checked: str


ENGLISH = Wording(
    bindings={
        Binding.GIVEN: "the {words} is “{value}”",
        Binding.RESULT: "the {words} comes out of that result",
        Binding.SAME: "the {words} stays as it was",
        Binding.FOUND: "the {words} is the one your last result shows",
        Binding.FIRST: "the {words} is the one I began with",
    },
    phase=" After that, use the outcome to ",
    both=" and, independently of it, ",
    openings=(
        "Please {purposes}",
        "I need someone to {purposes}",
        "Could you do me a favour and {purposes}",
        "We are preparing a report for our team tomorrow morning, so kindly {purposes}",
        "Hey, I have been trying to sort this out all day without any luck and would love you to {purposes}",
    ),
    follow_ups=(
        "Next, {purposes}",
        "Good. Now {purposes}",
        "Building on that, would you {purposes}",
        "That already helps with what I asked before; in the same matter, please {purposes}",
        "Thanks for the last reply, it is what I hoped for, and since we are at it, please also {purposes}",
    ),
    chats=(
        "Any advice on how to {theme}?",
        "Tell me in general what matters when people {theme}.",
        "I am new to this: what does it mean to {theme}, in plain words?",
        "Before we start with anything, explain what one should know about how others {theme}.",
        "My colleagues often talk about it at lunch, but nobody ever told me why people {theme}, "
        "so what is your view?",
    ),
    later_chats=(
        "And why is that so?",
        "Put what you just told me in simpler words.",
        "From what we have so far, what would you keep in mind?",
        "Thank you, that was useful; what do people usually overlook in such a matter?",
        "Looking back at your last reply and at what I asked before, which part would you explain first?",
    ),
    labels={"user": "User: ", "planner": "Planner: ", "tool": "Tool: ", "agent": "Agent: "},
    question="To go on I still need something from you: {missing}. Could you tell me?",
    full_answers=("Sure: {values}.", "Of course, {values}.", "Here you are. For this, {values}."),
    vague_answers=(
        "I do not have that at hand.",
        "Hm, just take the usual one.",
        "Not sure, sorry.",
    ),
    summary="Here is what came back:\n{lines}",
    nothing_found="- nothing was found",
    direct="In short: look at the aim first, compare two or three ways, and take the simplest that works.",
    plan_serial="The task takes several steps that depend on each other, in serial order; now the one due.",
    plan_parallel="The task takes several independent steps; now all of them in parallel.",
    plan_single="One step gets what the user wants; it is due now.",
    plan_ask="Ask the user for what is missing before the step can be done.",
    plan_answer="Everything needed is there; now conclude.",
    thought="The user wants: {purposes}. I compared what each step requires with what was said and found.",
    checked="The decision fits the request and the dependencies.",
)

CHINESE = Wording(
    bindings={
        Binding.GIVEN: "{words}是“{value}”",
        Binding.RESULT: "{words}取自上面的结果",
        Binding.SAME: "{words}保持不变",
        Binding.FOUND: "{words}就是上次结果里的那个",
        Binding.FIRST: "{words}就是我最开始说的那个",
    },
    phase="之后，请根据结果再做：",
    both="，另外单独做：",
    openings=(
        "请帮我：{purposes}",
        "我需要有人来做这件事：{purposes}",
        "能不能麻烦你帮个忙，{purposes}",
        "我们团队明天早上要交一份报告，所以劳驾您：{purposes}",
        "嗨，我折腾了一整天也没弄明白，实在没办法了，想请你帮我完成这件事：{purposes}",
    ),
    follow_ups=(
        "接着：{purposes}",
        "好的，现在{purposes}",
        "在此基础上，能否{purposes}",
        "这对我之前的问题已经很有帮助了，同一件事请继续：{purposes}",
        "谢谢你刚才的回复，正是我想要的，既然说到这里，我还想请你：{purposes}",
    ),
    chats=(
        "关于这个主题有什么建议：{theme}？",
        "请大致说说，人们做这件事时什么最重要：{theme}。",
        "我是新手，请用简单的话解释一下这是什么意思：{theme}？",
        "在开始之前，请先讲讲关于这件事应该了解些什么：{theme}。",
        "同事们吃午饭时经常聊到这个，可是从来没有人告诉我为什么要这样做：{theme}，你怎么看？",
    ),
    later_chats=(
        "为什么会这样？",
        "请把你刚才说的换成更简单的话。",
        "根据目前的内容，你觉得需要注意什么？",
        "谢谢，很有用；在这类事情上大家通常会忽略什么？",
        "回头看看你上次的回复和我之前的问题，你会先向朋友解释其中哪一部分？",
    ),
    labels={"user": "用户：", "planner": "规划者：", "tool": "工具：", "agent": "Agent助手："},
    question="要继续的话我还需要您提供：{missing}。可以告诉我吗？",
    full_answers=("好的：{values}。", "当然，{values}。", "给你，{values}。"),
    vague_answers=("我现在手边没有。", "嗯，就用平常的那个吧。", "不太清楚，抱歉。"),
    summary="结果如下：\n{lines}",
    nothing_found="- 没有找到任何内容",
    direct="简单来说：先看目的，再比较两三种办法，选最简单可行的那一种。",
    plan_serial="任务需要几个相互依赖的步骤，按串行顺序进行；现在执行当前这一步。",
    plan_parallel="任务需要几个互不依赖的步骤；现在并行执行全部步骤。",
    plan_single="一步即可满足用户的要求；现在执行。",
    plan_ask="先向用户询问缺少的信息，再执行这一步。",
    plan_answer="所需信息已经齐全；现在总结。",
    thought="用户想要：{purposes}。我对比了每一步所需的信息与已有的信息。",
    checked="决定符合用户的要求和依赖关系。",
)

_HAN = re.compile("[一-鿿]")


def wording_for(text: str) -> Wording:
    """The language of a prompt: Chinese where one character in fifty and more is."""
    return CHINESE if len(_HAN.findall(text)) * 50 > len(text) else ENGLISH
