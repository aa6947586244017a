#include "leeway/nn/io/pickle.h"

#include <gmock/gmock.h>

#include "tests/message_of.h"
#include "tests/nn/io/pickles.h"

namespace leeway::nn::pickle::pickle_test {

using ::testing::HasSubstr;
using namespace pickles;

Pickle read(const std::string& instructions) {
  return unpickle(bytes_of(pickles::pickle(instructions)), "f");
}

template <class T>
T value(const std::string& instructions) {
  const Pickle result = read(instructions);
  return std::get<T>(result.objects[result.root]);
}

std::string refusal(const std::string& instructions) {
  return message_of([&] { (void)read(instructions); });
}

TEST(Pickle, ReadsNumbersAndText) {
  EXPECT_EQ(value<std::int64_t>("K\xff"), 255);
  EXPECT_EQ(value<std::int64_t>("M\x01\x02"), 513);
  EXPECT_EQ(value<std::int64_t>("J\xfe\xff\xff\xff"), -2);
  EXPECT_EQ(value<std::int64_t>(std::string("\x8a\x00", 2)), 0);
  EXPECT_EQ(value<std::int64_t>("\x8a\x01\xff"), -1);
  EXPECT_EQ(value<std::int64_t>("\x8a\x02\xff\x7f"), 32767);
  EXPECT_EQ(value<Long>("\x8a\x09"
                        "123456789")
                .bytes,
            "123456789");
  EXPECT_EQ(value<double>(std::string("G\x3f\xf8\0\0\0\0\0\0", 9)), 1.5);
  EXPECT_EQ(value<bool>("\x88"), true);
  EXPECT_EQ(value<bool>("\x89"), false);
  EXPECT_EQ(value<std::string>(text("weight")), "weight");
  EXPECT_EQ(value<std::string>("\x8c\x02hi"), "hi");
  EXPECT_EQ(value<std::string>("U\x02hi"), "hi");
  EXPECT_EQ(value<std::string>("\x8d" + raw<std::uint64_t>(2) + "hi"), "hi");
}

TEST(Pickle, ReadsCollections) {
  const Pickle list = read(
      "](K\x01K\x02"
      "eK\x03"
      "a");
  EXPECT_EQ(std::get<List>(list.objects[list.root]).items.size(), 3U);
  EXPECT_EQ(value<Tuple>("K\x01K\x02\x86").items.size(), 2U);
  EXPECT_EQ(value<Tuple>("(K\x01K\x02K\x03K\x04t").items.size(), 4U);
  EXPECT_EQ(value<Dict>("}" + text("a") + "Ns(" + text("b") + "N" + text("c") + "Nu").items.size(), 3U);
  const std::string pairs = "]](" + text("a") +
                            "K\x01"
                            "ea\x85";  // [["a", 1]], as Python 2 writes it
  EXPECT_EQ(value<Dict>(global("collections", "OrderedDict") + pairs + "R").items.size(), 1U);
}

TEST(Pickle, MemoGivesBackTheSameObject) {
  const Tuple same = value<Tuple>("]q\x07h\x07\x86");
  EXPECT_EQ(same.items[0], same.items[1]);
  const Tuple by_order = value<Tuple>(std::string("]\x94h\x00\x86", 5));
  EXPECT_EQ(by_order.items.size(), 2U);
  EXPECT_EQ(refusal("h\x07"), "f: expected a pickle that reads existing memo entries, found place 7");
}

TEST(Pickle, DropsAttributesOfDictionaries) {
  const std::string made = global("collections", "OrderedDict") + ")R";
  EXPECT_EQ(value<Dict>(made + "}" + text("_metadata") + "Nsb").items.size(), 0U);
  EXPECT_EQ(refusal("]}b"), "f: expected tensors only, found attributes set on a list");
}

TEST(Pickle, TellsWhereItEnds) {
  const std::string two = pickles::pickle("K\x01") + pickles::pickle("K\x02");
  EXPECT_EQ(unpickle(bytes_of(two), "f").end, two.size() / 2);
}

TEST(Pickle, CallsNothing) {
  const std::string argument = text("touch /tmp/x") + "\x85";
  const std::vector<std::pair<std::string, std::string>> calls{
      {global("os", "system") + argument + "R", "os.system"},
      {text("os") + text("system") + "\x93" + argument + "R", "os.system"},
      {global("builtins", "eval") + argument + "R", "builtins.eval"},
      // getattr(os, "system")(...)
      {global("builtins", "getattr") + global("os", "path") + text("system") + "\x86R" + argument + "R",
       "what builtins.getattr gives"},
      {global("torch", "load") + argument + "R", "torch.load"},
      {global("torch", "FloatStorage") + argument + "R", "torch.FloatStorage"},
      {"(" + text("x") + "ios\nsystem\n", "os.system"},
      {"(" + global("os", "system") + text("x") + "o", "os.system"},
      {global("subprocess", "Popen") + ")\x81", "subprocess.Popen"},
      {global("importlib.util", "find_spec") + ")}\x92", "importlib.util.find_spec"},
      {text("no function") + argument + "R", "text"},
      {global("torch._utils", "_rebuild_qtensor") + ")R", "torch._utils._rebuild_qtensor"}};
  for (const auto& [instructions, callee] : calls)
    EXPECT_EQ(refusal(instructions), "f: expected tensors only, found a call of " + callee);
  EXPECT_THAT(refusal(global("__main__", "Net") + "}b"), Says("found attributes set on __main__.Net"));
  EXPECT_EQ(refusal("}" + text("class") + global("posix", "system") + "s"),
            "f: expected tensors only, found a reference to posix.system");
  EXPECT_THAT(refusal("(" + text("module") + text("Net") + "tQ"), Says("f: expected a ... found text"));
}

// Nothing is made of them: their class and their parts are noted.
TEST(Pickle, ObjectsOfOtherClassesStayInert) {
  const std::string state = "}" + text("lr") + "K\x01s";
  const Inert made = value<Inert>(global("argparse", "Namespace") + ")\x81" + state + "b");
  EXPECT_EQ(made.name, "argparse.Namespace");
  EXPECT_EQ(made.parts.size(), 2U) << "arguments and state";
  EXPECT_EQ(value<Inert>(global("__main__", "Net") + ")}\x92").parts.size(), 2U);
  EXPECT_EQ(value<Inert>(global("numpy.core.multiarray", "scalar") + "N\x85R").parts.size(), 1U);
  EXPECT_EQ(value<Inert>(global("collections", "deque") + ")R(K\x01K\x02" + "e").parts.size(), 3U);
  EXPECT_EQ(value<Inert>(global("a", "Dict") + ")\x81(" + text("k") + "Nu").parts.size(), 3U);
  EXPECT_EQ(value<Inert>(global("builtins", "set") + "]\x85R").name, "builtins.set");
  EXPECT_EQ(value<Inert>("\x8f(K\x01\x90").parts.size(), 1U);
  EXPECT_EQ(value<Inert>("(K\x01\x91").parts.size(), 1U);
  EXPECT_EQ(value<Inert>("C\x02hi").name, "builtins.bytes");
  EXPECT_EQ(
      value<Inert>("(" + text("module") + global("a", "Net") + text("net.py") + text("source") + "tQ)\x81")
          .name,
      "a.Net");
}

TEST(Pickle, RefusesInstructionsByName) {
  EXPECT_EQ(refusal("\x82\x01"), "f: expected tensors only, found the pickle instruction 0x82 at byte 2");
  EXPECT_EQ(refusal("N0"), "f: expected tensors only, found the pickle instruction 0x30 at byte 3");
  EXPECT_EQ(refusal("C\xff"), "f: expected 255 bytes of a pickle at byte 4, found 1");
  EXPECT_EQ(refusal("\xff"), "f: expected tensors only, found the pickle instruction 0xff at byte 2");
  EXPECT_REFUSED(unpickle(bytes_of("\x80\x01N."), "f"), "f: expected a pickle of ... found protocol 1");
  EXPECT_REFUSED(unpickle(bytes_of("(dp0\n."), "f"), "f: expected a pickle, found other bytes");
}

TEST(Pickle, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal("X\xff\xff\xff\xff"
                      "abc"),
              Says("f: expected 4294967295 bytes of a ... found 4"));
  EXPECT_THAT(refusal("\x8d" + std::string(8, '\xff')), Says("f: expected 18446744073709551615 ... found 1"));
  EXPECT_EQ(refusal(""), "f: expected tensors only, found a pickle that pops an empty stack");
  EXPECT_EQ(refusal("K\x01(\x85"), "f: expected tensors only, found a pickle that pops an empty stack");
  EXPECT_EQ(refusal("t"), "f: expected tensors only, found a pickle that lacks a mark");
  EXPECT_EQ(refusal("}(Nu"), "f: expected tensors only, found a dictionary of keys without a value");
  EXPECT_EQ(refusal("]NNs"), "f: expected a pickle with a dictionary to set items of, found a list");
  EXPECT_EQ(refusal("}Na"), "f: expected a pickle with a list to append to, found a dictionary");
  EXPECT_EQ(refusal(global("torch._utils", "_rebuild_tensor_v2") + ")R"),
            "f: expected a tensor of 6 arguments, found 0");
  EXPECT_THAT(refusal(tensor("N", 0, ")", ")")), Says("f: expected a pickle with a storage ... found None"));
  EXPECT_THAT(refusal(storage("0", 1, "ComplexFloatStorage")), Says("found torch.ComplexFloatStorage"));
  EXPECT_THAT(refusal(storage(std::string(201, '1'), 1)), HasSubstr("keys of storages of at most 200 bytes"));
  EXPECT_THAT(refusal("c" + std::string(1000, 'x') + "\n"), HasSubstr("names of at most 200 bytes"));
}

TEST(Pickle, BoundsItsObjects) {
  const std::string many(std::size_t{3} << 20, ')');
  EXPECT_EQ(refusal(many), "f: expected a pickle of at most 2097152 objects, found more");
  // a list of 2^16 pairs, made into a dictionary again and again
  std::string doubled = "](";
  for (int i = 0; i < 1 << 16; ++i) doubled += "h\x01";
  const std::string pair = "K\x01K\x02\x86q\x01";
  std::string program = pair + doubled + "eq\x02";
  for (int i = 0; i < 1000; ++i) program += global("collections", "OrderedDict") + "h\x02\x85R";
  EXPECT_EQ(refusal(program), "f: expected a pickle of at most 2097152 objects, found more");
}

}  // namespace leeway::nn::pickle::pickle_test
